"""random_check.py DIR: moments of the outputs of random.test's model under DIR/{a,b,c,d}, of seeds 5, 5, 6 and 5 (the reference target's)."""
import sys

import numpy as np

NAMES = "uniform normal like narrow flags classes kept mask fixed again asked not_asked".split()
runs = {run: {name: np.load(f"{sys.argv[1]}/{run}/output_{k}.npy") for k, name in enumerate(NAMES)} for run in "abcd"}
a = runs["a"]


def near(what, got, want, sigma, count):
    assert abs(got - want) < 6 * sigma / count**0.5, (what, got, want)


def moments(name, x, mean, variance, fourth):
    near(name, x.mean(), mean, variance**0.5, x.size)
    near(name, x.var(), variance, (fourth - variance**2) ** 0.5, x.size)


for name in NAMES:
    np.testing.assert_array_equal(a[name], runs["b"][name])
    exact = name not in ("normal", "like")  # which have a logarithm and a cosine
    np.testing.assert_allclose(a[name].astype(np.float64), runs["d"][name], rtol=0 if exact else 1e-5, atol=0 if exact else 1e-5)
    if name not in ("fixed", "again", "not_asked"):
        assert (a[name] != runs["c"][name]).any(), name
moments("uniform", a["uniform"].astype(float), 1, 16 / 12, 256 / 80)
assert a["uniform"].min() >= -1 and a["uniform"].max() <= 3
moments("normal", a["normal"], 2, 0.25, 3 / 16)
moments("like", a["like"].astype(float), 0, 1, 3)
moments("narrow", a["narrow"].astype(float), 0.5, 1 / 12, 1 / 80)
assert a["narrow"].max() < 1
near("flags", a["flags"].mean(), 0.25, 0.1875**0.5, 20000)
assert set(a["classes"].ravel()) == {0, 1}
near("classes", (a["classes"] == 1).mean(), 0.75, 0.1875**0.5, 20000)
near("mask", a["mask"].mean(), 0.6, 0.24**0.5, 20000)
np.testing.assert_allclose(a["kept"], np.where(a["mask"], 0.25 / 0.6, 0), rtol=1e-6)
assert (a["asked"] == 0).any() and (a["asked"] == 0).sum() != (a["kept"] == 0).sum()
assert (a["not_asked"] == 0.25).all()
np.testing.assert_array_equal(a["fixed"], a["again"])
np.testing.assert_array_equal(a["fixed"], runs["c"]["fixed"])
assert abs(np.corrcoef(a["uniform"].ravel(), a["like"].ravel())[0, 1]) < 6 / 20000**0.5
