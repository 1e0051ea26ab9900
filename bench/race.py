"""race.py - tcc and its peers in short turns, for one model at one number of threads.

The clock of a shared machine moves within seconds. So an engine's turn is one call or a few, a tenth of a second or less, and stands
between two turns of tcc: tcc, A, tcc, B, tcc ..., peers in a new random order each round. Its ratio is its time over the mean of its two
neighbours, and what is stated is the median of many rounds' ratios. An engine that is not at turn is stopped (engines.py), so that
none disturbs another by spinning; calls shorter than WARM_MS have an untimed one before them, which wakes threads and fetches caches,
the same for all engines of a model.

A first pass of two calls each decides who runs: a peer whose best ratio of it is above FAR times the quickest peer's leaves, its figure from
this pass stays. Later a peer leaves when the median of its rounds is that far behind.
"""
import random
import statistics

APART = ("openvino-bf16",)  # computes something else: it decides nothing
FAR = 1.5               # times the quickest peer's time: it cannot become the best peer
TURN_MS = 60            # of timed calls
WARM_MS = 100
FIRST_CALLS = 2         # turns of the first pass
FIRST_MS, MOST_FIRST = 5, 50 # of calls in one
SLOW_MS = 500           # a call that is not made twice to see that it is far behind
DECIDES = 3             # rounds after which a peer's median may end its race


class Race:
    """turns: engine -> [[ms, tcc's ms before, after]]; first: the same of the first pass; left: engine -> after how many rounds.
    One peer's failure is told to `attempt`, and ends its race only."""

    def __init__(self, threads, record, attempt):
        self.threads, self.attempt = threads, attempt
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
        return self.call(self.clocks[engine], max(1, round(TURN_MS / expected)))

    def leave(self, engine, rounds):
        self.left[engine] = rounds
        self.racing.remove(engine)

    def select(self):
        """After the first pass."""
        best = {e: min(ratios(self.first[e])) for e in self.racing}
        quickest = min((best[e] for e in best if e not in APART), default=0)
        for engine in [e for e in best if best[e] > FAR * quickest]:
            self.leave(engine, 0)

    def round(self, peak):
        """One round; peak: measures what the machine can do now, just before and just after tcc's first turn."""
        top = peak()
        before = self.turn("tcc")
        self.own.append([before, top, peak()])
        for engine in random.sample(self.racing, len(self.racing)):
            ms = self.attempt(engine, lambda: self.turn(engine))
            if ms is None:
                self.racing.remove(engine)
                continue
            after = self.turn("tcc")
            self.turns.setdefault(engine, []).append([ms, before, after])
            before = after
        medians = {e: statistics.median(ratios(self.turns[e])) for e in self.racing if len(self.turns[e]) >= DECIDES}
        quickest = min((medians[e] for e in medians if e not in APART), default=0)
        for engine in [e for e in medians if medians[e] > FAR * quickest]:
            self.leave(engine, len(self.turns[engine]))


def ratios(turns):
    return [2 * ms / (before + after) for ms, before, after in turns]
