"""Cases of the tree operators of ai.onnx.ml in the form of ONNX's own tests: `trees.py FOLDER`. Expected is what a walk down each tree gives,
computed here; of two classes with one score as onnxruntime does it."""
import math
import operator
import os
import random
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = sys.argv[1]
random.seed(3)
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
COMPARE = [operator.le, operator.lt, operator.ge, operator.gt, operator.eq, operator.ne]
FEATURES = 3


def tree(depth, targets):
    """A leaf is {target: weight}, a branch (mode, feature, split, missing, yes, no)."""
    if depth == 0 or random.random() < 0.2:
        return {t: round(random.uniform(-1, 2), 2) for t in random.sample(range(targets), random.randint(1, targets))}
    mode = random.randrange(6)
    split = random.choice([-1.0, 0.0, 0.5, 1.0, 2.0])
    return (mode, random.randrange(FEATURES), split, random.randint(0, 1), tree(depth - 1, targets), tree(depth - 1, targets))


def leaf_of(node, row):
    while isinstance(node, tuple):
        mode, feature, split, missing, yes, no = node
        value = row[feature]
        node = yes if COMPARE[mode](value, split) or (missing and math.isnan(value)) else no
    return node


def aggregate(trees, row, targets, how, limits=np.finfo(np.float32)):
    given = [leaf_of(t, row) for t in trees]
    of = [[leaf[t] for leaf in given if t in leaf] for t in range(targets)]
    if how in ("SUM", "AVERAGE"):
        return [sum(x) / (len(trees) if how == "AVERAGE" else 1) for x in of]
    rest = limits.max if how == "MIN" else limits.min
    return [(min if how == "MIN" else max)(x + [rest]) for x in of]


def transform(scores, how):
    x = np.array(scores, np.float64)
    if how == "LOGISTIC":
        return 1 / (1 + np.exp(-x))
    if how == "SOFTMAX":
        return np.exp(x - x.max(1, keepdims=True)) / np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True)
    if how == "SOFTMAX_ZERO":
        most = x.max(1, keepdims=True)
        e = np.where(np.abs(x) > 1e-7, np.exp(x - most), x * np.exp(-most))
        total = e.sum(1, keepdims=True)
        return np.where(total == 0, 0.5, e / np.where(total == 0, 1, total))
    return x


def flat(trees):
    """nodes_* and leaves (tree, node, target, weight) of TreeEnsembleRegressor-3."""
    nodes = {k: [] for k in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids", "missing_value_tracks_true")}
    leaves = []
    for number, root in enumerate(trees):
        queue, ids = [root], 1
        for here in range(10**9):
            if here == len(queue):
                break
            node = queue[here]
            branch = isinstance(node, tuple)
            row = (node[1], node[2], MODES[node[0]], ids, ids + 1, node[3]) if branch else (0, 0.0, "LEAF", 0, 0, 0)
            if branch:
                queue += [node[4], node[5]]
                ids += 2
            else:
                leaves += [(number, here, t, w) for t, w in node.items()]
            for key, value in zip(("featureids", "values", "modes", "truenodeids", "falsenodeids", "missing_value_tracks_true"), row):
                nodes[key].append(value)
            nodes["treeids"].append(number)
            nodes["nodeids"].append(here)
    return {"nodes_" + k: v for k, v in nodes.items()}, leaves


def inputs(kind):
    values = [-1.0, 0.0, 0.5, 1.0, 2.0, 0.7, math.nan]
    return [np.array([[random.choice(values) for _ in range(FEATURES)] for _ in range(n)], kind) for n in (40, 3)]


def case(name, node, x_kind, outputs, sets, version=3):
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(np.dtype(x_kind)), ["N", FEATURES])],
        [helper.make_tensor_value_info(n, t, s) for n, t, s in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("ai.onnx.ml", version), helper.make_opsetid("", 20)], ir_version=10)
    for k, (x, ys) in enumerate(sets):
        place = os.path.join(folder, name, f"test_data_set_{k}")
        os.makedirs(place, exist_ok=True)
        for stem, arrays in (("input", [x]), ("output", ys)):
            for i, array in enumerate(arrays):
                array = array.astype(object) if array.dtype.kind == "U" else array
                with open(os.path.join(place, f"{stem}_{i}.pb"), "wb") as file:
                    file.write(numpy_helper.from_array(array).SerializeToString())
    onnx.save(model, os.path.join(folder, name, "model.onnx"))


def regressor(name, targets, how, post, base, kind=np.float32, again=False):
    """again: a leaf has further weights of its one target, which do not count."""
    trees = [tree(4, targets) for _ in range(3)]
    nodes, leaves = flat(trees)
    leaves += [(t, n, i, w + 1) for t, n, i, w in leaves] if again else []
    node = helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", aggregate_function=how, post_transform=post, n_targets=targets,
                            target_treeids=[t for t, _, _, _ in leaves], target_nodeids=[n for _, n, _, _ in leaves],
                            target_ids=[t for _, _, t, _ in leaves], target_weights=[w for _, _, _, w in leaves], **nodes,
                            **({"base_values": base} if base else {}))
    sets = []
    for x in inputs(kind):
        y = np.array([aggregate(trees, row, targets, how) for row in x]) + np.array(base or [0.0])
        sets.append((x, [transform(y, post).astype(np.float32)]))
    case(name, node, kind, [("y", TensorProto.FLOAT, ["N", targets])], sets)


def classifier(name, classes, post, single=None, positive=False, strings=False):
    trees = [tree(3, classes) for _ in range(4)]

    def only(node):
        if isinstance(node, tuple):
            return node[:4] + (only(node[4]), only(node[5]))
        weight = next(iter(node.values()))
        return {single: abs(weight) / 4 if positive else weight}

    if single is not None:
        trees = [only(t) for t in trees]
    nodes, leaves = flat(trees)
    labels = {"classlabels_strings": [f"c{i}" for i in range(classes)]} if strings else {"classlabels_int64s": [10 * i for i in range(classes)]}
    node = helper.make_node("TreeEnsembleClassifier", ["x"], ["label", "scores"], domain="ai.onnx.ml", post_transform=post,
                            class_treeids=[t for t, _, _, _ in leaves], class_nodeids=[n for _, n, _, _ in leaves],
                            class_ids=[t for _, _, t, _ in leaves], class_weights=[w for _, _, _, w in leaves], **nodes, **labels)
    names = np.array(next(iter(labels.values())))
    sets = []
    for x in inputs(np.float32):
        scores = np.array([aggregate(trees, row, classes, "SUM") for row in x])
        how = post
        if single is not None:
            s = scores[:, single]
            scores = np.stack([1 - s if positive else -s, s], 1)
            how = "NONE" if positive and post == "LOGISTIC" else post
        sets.append((x, [names[scores.argmax(1)], transform(scores, how).astype(np.float32)]))
    kind = TensorProto.STRING if strings else TensorProto.INT64
    case(name, node, np.float32, [("label", kind, ["N"]), ("scores", TensorProto.FLOAT, ["N", classes])], sets)


for how in ("SUM", "AVERAGE", "MIN", "MAX"):
    regressor(f"regressor_{how}", 2, how, "NONE", [0.25, -1.0] if how == "SUM" else None)
for post in ("LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"):
    regressor(f"regressor_{post}", 3, "SUM", post, [0.5])
    classifier(f"classifier_{post}", 3, post, strings=post == "SOFTMAX")
    classifier(f"classifier_two_{post}", 2, post, 0)
regressor("regressor_double", 1, "SUM", "NONE", None, np.float64)
classifier("classifier", 4, "NONE")
classifier("classifier_positive", 2, "NONE", 1, True, True)
classifier("classifier_positive_LOGISTIC", 2, "LOGISTIC", 0, True)
regressor("regressor_again", 1, "SUM", "NONE", None, again=True)
