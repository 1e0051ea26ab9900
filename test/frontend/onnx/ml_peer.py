"""ml_peer.py FOLDER [CASE...]: operators of classical machine learning with random data, by the interpreter and by tcc-run, beside onnxruntime
(peer.py)."""
import numpy as np
from onnx import TensorProto, helper
from peer import CASES, Model, main, normal

LABELS = {"classlabels_ints": [5, 7, 2, 9, 4, 1]}
NAMES = {"classlabels_strings": ["ant", "bee", "crow", "dodo", "eel", "fly"]}


def add(name, op, outputs=1, types=None, tolerance=None, **made):
    """made: functions of a generator for inputs, in order, and attributes."""
    def build(r):
        given, attributes = made["given"](r), made["attributes"](r)
        m = Model(op, outputs, domain="ai.onnx.ml", **attributes)
        for array in given:
            m.input(array, *(["N"] if array.ndim > 1 else []))
        m.types = types or m.types
        m.tolerance = tolerance or m.tolerance
        return m
    CASES[name] = build


def floats(r, *shape):
    return normal(r, *shape).ravel().tolist()


def first(labels, count):
    return {key: values[:count] for key, values in labels.items()}


# ---- scales, norms, categories ----
def whole(r, dtype=np.int64):
    return r.integers(-3, 4, (6, 5)).astype(dtype)


SOURCES = {"f32": lambda r: normal(r, 6, 5), "f64": lambda r: normal(r, 6, 5, dtype=np.float64), "i64": whole, "i32": lambda r: whole(r, np.int32),
           "row": lambda r: normal(r, 5)}
for source, x in SOURCES.items():
    add(f"scaler_{source}", "Scaler", given=lambda r, x=x: [x(r)], attributes=lambda r: {"offset": floats(r, 5), "scale": floats(r, 5)})
    for norm in ("MAX", "L1", "L2"):
        add(f"normalizer_{norm.lower()}_{source}", "Normalizer", given=lambda r, x=x: [x(r)], attributes=lambda r, norm=norm: {"norm": norm})
add("normalizer_zero", "Normalizer", given=lambda r: [np.zeros((2, 3), np.float32)], attributes=lambda r: {"norm": "L2"})
add("scaler_one", "Scaler", given=lambda r: [normal(r, 2, 3, 4)], attributes=lambda r: {"offset": [0.5], "scale": [3.0]})


def holes(r, hole):
    x = normal(r, 6, 5)
    x[r.random((6, 5)) < 0.3] = hole
    return x


add("imputer_nan", "Imputer", given=lambda r: [holes(r, np.nan)], attributes=lambda r: {"imputed_value_floats": floats(r, 5), "replaced_value_float": float("nan")})
add("imputer_one", "Imputer", given=lambda r: [holes(r, -1)], attributes=lambda r: {"imputed_value_floats": [2.5], "replaced_value_float": -1.0})
add("imputer_i64", "Imputer", types=[TensorProto.INT64], given=lambda r: [whole(r)], attributes=lambda r: {"imputed_value_int64s": [9, 8, 7, 6, 5], "replaced_value_int64": 2})
add("vectorizer", "FeatureVectorizer", given=lambda r: [normal(r, 4, 2), whole(r, np.float32)[:4], normal(r, 4, 2, 3)],
    attributes=lambda r: {"inputdimensions": [2, 3, 8]})
add("one_hot_i64", "OneHotEncoder", given=lambda r: [whole(r)], attributes=lambda r: {"cats_int64s": [3, -1, 0, 12]})
add("one_hot_f32", "OneHotEncoder", given=lambda r: [normal(r, 7, scale=3)], attributes=lambda r: {"cats_int64s": [0, 1, 2, -1]})
add("one_hot_all", "OneHotEncoder", given=lambda r: [whole(r)], attributes=lambda r: {"cats_int64s": list(range(-3, 4)), "zeros": 0})
add("one_hot_text", "OneHotEncoder", given=lambda r: [np.array([[b"bee", b"ox"], [b"crow", b"bee"]])], attributes=lambda r: {"cats_strings": ["crow", "bee", "cat"]})

# ---- linear models ----
for how in ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"):
    add(f"regressor_{how.lower()}", "LinearRegressor", given=lambda r: [normal(r, 9, 5)],
        attributes=lambda r, how=how: {"coefficients": floats(r, 3, 5), "intercepts": floats(r, 3), "targets": 3, "post_transform": how})
    add(f"classifier_{how.lower()}", "LinearClassifier", 2, [TensorProto.INT64, TensorProto.FLOAT], given=lambda r: [normal(r, 9, 5)],
        attributes=lambda r, how=how: {"coefficients": floats(r, 4, 5), "intercepts": floats(r, 4), "post_transform": how, **first(LABELS, 4)})
    add(f"classifier_one_{how.lower()}", "LinearClassifier", 2, [TensorProto.STRING, TensorProto.FLOAT], given=lambda r: [normal(r, 9, 5)],
        attributes=lambda r, how=how: {"coefficients": floats(r, 5), "intercepts": floats(r, 1), "post_transform": how, **first(NAMES, 2)})
add("regressor_plain", "LinearRegressor", given=lambda r: [normal(r, 9, 5)], attributes=lambda r: {"coefficients": floats(r, 5), "targets": 1})
add("regressor_row", "LinearRegressor", given=lambda r: [normal(r, 5)], attributes=lambda r: {"coefficients": floats(r, 2, 5), "targets": 2})
add("classifier_i64", "LinearClassifier", 2, [TensorProto.STRING, TensorProto.FLOAT], given=lambda r: [whole(r)],
    attributes=lambda r: {"coefficients": floats(r, 3, 5), "intercepts": floats(r, 3), **first(NAMES, 3)})
add("classifier_f64", "LinearClassifier", 2, [TensorProto.INT64, TensorProto.FLOAT], given=lambda r: [normal(r, 9, 5, dtype=np.float64)],
    attributes=lambda r: {"coefficients": floats(r, 3, 5), "intercepts": floats(r, 3), **first(LABELS, 3)})


# ---- support vector machines ----
def machine(r, per_class, kernel, features=5, prob=False, how="NONE", params=(0.4, 0.3, 3.0), labels=LABELS, positive=False):
    k, vectors = len(per_class), sum(per_class)
    pairs = k * (k - 1) // 2
    coefficients = normal(r, k - 1, vectors)
    made = {"kernel_type": kernel, "kernel_params": list(params), "vectors_per_class": list(per_class), "support_vectors": floats(r, vectors, features),
            "coefficients": (abs(coefficients) if positive else coefficients).ravel().tolist(), "rho": floats(r, pairs), "post_transform": how, **first(labels, k)}
    return {**made, "prob_a": (-abs(normal(r, pairs)) - 0.5).tolist(), "prob_b": floats(r, pairs)} if prob else made


def svm(name, *args, **more):
    labels = more.get("labels", LABELS)
    add(f"svm_{name}", "SVMClassifier", 2, [TensorProto.STRING if labels is NAMES else TensorProto.INT64, TensorProto.FLOAT], tolerance=5e-5,
        given=lambda r: [normal(r, 17, 5)], attributes=lambda r: machine(r, *args, **more))


for name in ("LINEAR", "POLY", "RBF", "SIGMOID"):
    svm(f"{name.lower()}", (3, 2, 4), name)
    svm(f"prob_{name.lower()}", (3, 2, 4, 1, 2, 2), name, prob=True, labels=NAMES)
    add(f"svr_{name.lower()}", "SVMRegressor", given=lambda r: [normal(r, 17, 5)], tolerance=5e-5,
        attributes=lambda r, name=name: {"kernel_type": name, "kernel_params": [0.4, 0.3, 2.0], "n_supports": 6, "support_vectors": floats(r, 6, 5),
                                         "coefficients": floats(r, 6), "rho": floats(r, 1)})
for how in ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"):
    svm(f"two_{how.lower()}", (3, 4), "RBF", how=how)
    svm(f"two_prob_{how.lower()}", (3, 4), "RBF", how=how, prob=True)
    svm(f"three_{how.lower()}", (3, 4, 1), "RBF", how=how, labels=NAMES)
svm("two_positive", (3, 4), "RBF", positive=True)
svm("none_of_a_class", (3, 0, 2), "RBF")
add("svr_one_class", "SVMRegressor", given=lambda r: [normal(r, 17, 5)], attributes=lambda r: {
    "kernel_type": "RBF", "kernel_params": [0.4, 0.3, 2.0], "n_supports": 6, "support_vectors": floats(r, 6, 5), "coefficients": floats(r, 6), "rho": [0.1],
    "one_class": 1})
add("svr_plain", "SVMRegressor", given=lambda r: [normal(r, 17, 5)], attributes=lambda r: {
    "kernel_type": "LINEAR", "kernel_params": [0.4, 0.3, 2.0], "n_supports": 0, "coefficients": floats(r, 5), "rho": [0.1]})
for count in (2, 3):
    for positive in (False, True):
        add(f"svm_plain_{count}_{positive}".lower(), "SVMClassifier", 2, [TensorProto.INT64, TensorProto.FLOAT], given=lambda r: [normal(r, 17, 5)],
            attributes=lambda r, count=count, positive=positive: {
                "kernel_params": [0.0, 0.0, 0.0], "coefficients": np.abs(normal(r, count * 5)).tolist() if positive else floats(r, count, 5), "rho": [0.1],
                **first(LABELS, count)})

# ---- maps ----
def maps(key):
    return [helper.make_sequence_type_proto(helper.make_map_type_proto(key, helper.make_tensor_type_proto(TensorProto.FLOAT, [])))]


add("zip_map_numbers", "ZipMap", types=maps(TensorProto.INT64), given=lambda r: [normal(r, 4, 3)], attributes=lambda r: {"classlabels_int64s": [1, 2, 3]})
add("zip_map_names", "ZipMap", types=maps(TensorProto.STRING), given=lambda r: [normal(r, 4, 3)],
    attributes=lambda r: {"classlabels_strings": ["ant", "bee", "crow"]})

if __name__ == "__main__":
    main()
