"""race.py - tcc and its peers in short turns, for one model at one number of threads.

The clock of a shared machine moves within seconds. So an engine's turn is one call or a few, a tenth of a second or less, and stands
between two turns of tcc: tcc, A, tcc, B, tcc ..., peers in a new random order each round. Its ratio is its time over the mean of its two
neighbours, and what is stated is the median of many rounds' ratios. An engine that is not at turn is stopped (engines.py), so that
none disturbs another by spinning; calls shorter than WARM_MS have an untimed one before them, which wakes threads and fetches caches,
the same for all engines of a model.

A first pass of two calls each decides who runs: a peer whose best ratio of it is above FAR times the quickest peer's leaves, its figure from
this pass stays. Where a turn is one call anyway, turns of this pass are rounds. Later a peer leaves when the median of its rounds is that
far behind; those that are not CORE, which are the fastest peers as a rule, leave sooner.

tcc's turn at the beginning of a round is some calls, each between two short measurements of the machine's peak (serve.c).
"""
import random
import statistics

APART = ("openvino-bf16",)  # computes something else: it decides nothing
CORE = ("onnxruntime", "openvino", "torch-freezing")
FAR, NEAR = 1.5, 1.2    # times the quickest peer's time: it cannot become the best peer; of those that are not CORE
TURN_MS = 60            # of timed calls
WARM_MS = 100
FIRST_CALLS = 2         # turns of the first pass
FIRST_MS, MOST_FIRST = 5, 50 # of calls in one
SLOW_MS = 500           # a call that is not made twice to see that it is far behind
DECIDES = 3             # rounds after which a peer's median may end its race
SLICES_MS = 300         # of tcc's calls beside the machine's peak
SLICE_MS = 20           # at least, of one such


class Race:
    """turns: engine -> [[ms, tcc's ms before, after]]; first: the same of the first pass; left: engine -> after how many rounds.
    One peer's failure is told to `attempt`, and ends its race only."""

    def __init__(self, threads, record, attempt, turn_ms=TURN_MS):
        self.threads, self.attempt, self.turn_ms = threads, attempt, turn_ms
        self.clocks, self.tcc, self.tcc_ms = {}, None, None
        self.turns, self.first, self.left = record["turns"], record["first"], record["left"]
        self.own = record["tcc"] # tcc's own turns: [[ms, peak before, after]]
        self.racing = []

    def start(self, clock):
        """tcc's clock: (threads, untimed calls, timed calls) -> milliseconds."""
        self.tcc, self.clocks["tcc"] = clock, clock
        self.tcc_ms = clock(self.threads, 1, FIRST_CALLS)
        self.first["tcc"] = [[self.tcc_ms, self.tcc_ms, self.tcc_ms]]

    def join(self, engine, clock, known_ms):
        """A peer's first pass. One that is far behind by a call that it has made already (known_ms) is not called again."""
        if known_ms > SLOW_MS and known_ms > 4 * self.tcc_ms:
            self.first[engine], self.left[engine] = [[known_ms, self.tcc_ms, self.tcc_ms]], 0
            return
        found, calls = [], max(1, round(FIRST_MS / self.tcc_ms))
        before = self.call(self.tcc, calls)
        for _ in range(FIRST_CALLS):
            ms, after = self.call(clock, min(calls, MOST_FIRST)), self.call(self.tcc, calls)
            found.append([ms, before, after])
            before = after
        self.first[engine], self.clocks[engine] = found, clock
        self.racing.append(engine)

    def warm(self):
        return 1 if self.tcc_ms < WARM_MS else 0

    def call(self, clock, calls):
        return clock(self.threads, self.warm(), calls)

    def turn(self, engine):
        """Of a peer, or of tcc."""
        expected = statistics.median(t[0] for t in self.first[engine])
        return self.call(self.clocks[engine], max(1, round(self.turn_ms / expected)))

    def leave(self, engine, rounds):
        self.left[engine] = rounds
        self.racing.remove(engine)

    def select(self):
        """After the first pass."""
        self.leave_behind({e: min(ratios(self.first[e])) for e in self.racing}, FAR)
        for engine in self.racing:
            if min(self.tcc_ms, statistics.median(t[0] for t in self.first[engine])) >= self.turn_ms:
                self.turns[engine] = list(self.first[engine])

    def leave_behind(self, found, near):
        quickest = min((found[e] for e in found if e not in APART), default=0)
        for engine in [e for e in found if found[e] > (FAR if e in CORE + APART else near) * quickest]:
            self.leave(engine, len(self.turns.get(engine, [])))

    def slices(self):
        """How tcc's calls beside the machine's peak are made: (untimed calls before each, calls in one, how many)."""
        calls = max(1, round(SLICE_MS / self.tcc_ms))
        return self.warm(), calls, max(1, round(SLICES_MS / (calls * self.tcc_ms * (1 + self.warm() / calls) + 10)))

    def seconds(self):
        """That a round is likely to take."""
        own = max(self.turn_ms, self.tcc_ms)
        peers = sum(max(self.turn_ms, statistics.median(t[0] for t in self.first[e])) + own for e in self.racing)
        return (peers * (1.3 if self.warm() else 1.05) + max(SLICES_MS, own)) / 1e3

    def round(self, beside):
        """One round; beside: tcc's calls, each between two measurements of the machine's peak."""
        own = beside()
        self.own.extend(own)
        before = statistics.median(t[0] for t in own)
        for engine in random.sample(self.racing, len(self.racing)):
            ms = self.attempt(engine, lambda: self.turn(engine))
            if ms is None:
                self.racing.remove(engine)
                continue
            after = self.turn("tcc")
            self.turns.setdefault(engine, []).append([ms, before, after])
            before = after
        self.leave_behind({e: statistics.median(ratios(self.turns[e])) for e in self.racing if len(self.turns[e]) >= DECIDES}, NEAR)

    def least(self):
        """Rounds that every peer still in the race has."""
        return min((len(self.turns.get(e, [])) for e in self.racing), default=len(self.own))


def ratios(turns):
    return [2 * ms / (before + after) for ms, before, after in turns]
