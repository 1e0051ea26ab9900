"""figure.py - the figure of the README from the JSON of run.py: for each model how fast tcc and its peers are, tcc = 1."""
COLOURS = {"tcc": "#0b7285", "onnxruntime": "#f08c00", "openvino": "#7048e8", "iree": "#868e96", "torch-eager": "#fa5252",
           "torch-compile": "#e64980", "torch-freezing": "#c2255c", "torch-max-autotune": "#a61e4d"}
BAR, GAP, LEFT, WIDTH, TOP = 9, 12, 130, 560, 70


def svg(results, threads, title):
    """Bars of speed relative to tcc (longer is faster) with the median of a run beside them; text that suits light and dark pages."""
    rows, y = [], TOP
    engines = [e for e in COLOURS if any(e in r["measured"] and f"run_ms.{threads}" in r["measured"][e] for r in results.values())]
    most = 0.0
    for result in results.values():
        times = {e: result["measured"][e][f"run_ms.{threads}"]["median"] for e in engines if f"run_ms.{threads}" in result["measured"].get(e, {})}
        most = max([most, *(times["tcc"] / t for t in times.values())])
    scale = WIDTH / max(most, 1.2)
    for name, result in results.items():
        times = {e: result["measured"][e][f"run_ms.{threads}"]["median"] for e in engines if f"run_ms.{threads}" in result["measured"].get(e, {})}
        rows.append(f'<text x="{LEFT - 8}" y="{y + len(times) * BAR / 2 + 4}" text-anchor="end">{name}</text>')
        for engine, ms in times.items():
            length = times["tcc"] / ms * scale
            rows.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 1}" fill="{COLOURS[engine]}"/>')
            rows.append(f'<text class="s" x="{LEFT + length + 4:.1f}" y="{y + BAR - 2}">{ms:.3g} ms</text>')
            y += BAR
        y += GAP
    legend = []
    for i, engine in enumerate(engines):
        x = LEFT + i % 4 * 150
        legend.append(f'<rect x="{x}" y="{30 + i // 4 * 16}" width="10" height="10" fill="{COLOURS[engine]}"/>'
                      f'<text class="s" x="{x + 14}" y="{39 + i // 4 * 16}">{engine}</text>')
    line = f'<line x1="{LEFT + scale:.1f}" x2="{LEFT + scale:.1f}" y1="{TOP - 6}" y2="{y - GAP + 4}" stroke="#888" stroke-dasharray="3 3"/>'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 70}" height="{y + 6}" viewBox="0 0 {LEFT + WIDTH + 70} {y + 6}">\n'
            "<style>text{font:12px sans-serif;fill:#333}.s{font-size:9px}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>\n"
            f'<text x="{LEFT}" y="18">{title}</text>\n' + "\n".join(legend + [line] + rows) + "\n</svg>\n")
