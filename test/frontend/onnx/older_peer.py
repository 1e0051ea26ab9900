"""older_peer.py FOLDER [CASE...]: regions of images, inverses, distances and operators of ONNX's first versions with random data, by the interpreter and by
tcc-run, beside onnxruntime (peer.py)."""
import numpy as np
from onnx import helper
from peer import CASES, Model, main, normal

ROIS = [[0, 0, 0, 6, 8], [1, 1.6, 2.4, 5.5, 6.5], [1, -2.9, -2.1, 3.2, 3.1], [0, 4, 4, 4, 4], [1, 5, 5, 2, 2], [0, 3, 3, 30.3, 29.6], [1, 20, 20, 30, 30]]


def add(name, op, given, domain="com.microsoft", weights=(), tolerance=None, **attributes):
    """given, weights: functions of a generator."""
    def build(r):
        m = Model(op, domain=domain, **attributes)
        for array in given:
            m.input(array(r))
        for array in weights:
            m.weight(array(r))
        m.types = [helper.np_dtype_to_tensor_dtype(given[0](r).dtype)]
        m.tolerance = tolerance or m.tolerance
        return m
    CASES[name] = build


def images(r):
    return normal(r, 2, 3, 9, 7)


def regions(r):
    return np.array(ROIS, np.float32)


def boxes(r):
    return np.array(ROIS, np.float32)[:, 1:]


def which(r):
    return np.array(ROIS)[:, 0].astype(np.int64)


# ---- regions ----
for scale in (1.0, 0.5):
    add(f"roi_pool_{scale}", "MaxRoiPool", [images, regions], "", pooled_shape=[3, 2], spatial_scale=scale)
    for mode in ("avg", "max"):
        for half in ("half_pixel", "output_half_pixel"):
            for samples in (0, 2):
                add(f"roi_align_{scale}_{mode}_{half}_{samples}", "RoiAlign", [images, boxes, which], "", output_height=3, output_width=2, mode=mode,
                    sampling_ratio=samples, spatial_scale=scale, coordinate_transformation_mode=half)


def shares(r):
    return np.array([[0, 0, 1, 1], [0.1, 0.25, 0.8, 0.9], [0.9, 0.75, 0.2, 0.1], [-0.3, -0.5, 1.2, 0.5], [0.5, 0.5, 0.5, 0.5]], np.float32)


def first_images(r):
    return np.array([0, 1, 1, 0, 1], np.int32)


for mode in ("bilinear", "nearest"):
    for size in ((4, 5), (1, 1), (2, 1)):
        add(f"crop_{mode}_{size[0]}x{size[1]}", "CropAndResize", [images, shares, first_images], weights=[lambda r, size=size: np.array(size, np.int32)],
            mode=mode, extrapolation_value=7.0)

# ---- matrices ----
add("inverse", "Inverse", [lambda r: normal(r, 5, 6, 6)], tolerance=1e-3)
add("inverse_f64", "Inverse", [lambda r: normal(r, 2, 3, 7, 7, dtype=np.float64)], tolerance=1e-10)
add("inverse_f16", "Inverse", [lambda r: (normal(r, 3, 3) + 3 * np.eye(3)).astype(np.float16)], tolerance=2e-3)
add("inverse_swaps", "Inverse", [lambda r: np.array([[0, 2, 0], [0, 0, 4], [8, 0, 0]], np.float32)])
for metric in ("euclidean", "sqeuclidean"):
    add(f"cdist_{metric}", "CDist", [lambda r: normal(r, 7, 5), lambda r: normal(r, 11, 5)], metric=metric)
    add(f"cdist_f64_{metric}", "CDist", [lambda r: normal(r, 7, 5, dtype=np.float64), lambda r: normal(r, 3, 5, dtype=np.float64)], metric=metric)

# ---- gates, norms ----
add("branches", "BranchwiseRMSNorm", [lambda r: normal(r, 2, 3, 12)], weights=[lambda r: normal(r, 12)], num_branches=3)
add("branches_grouped", "BranchwiseRMSNorm", [lambda r: normal(r, 2, 3, 4)], weights=[lambda r: normal(r, 3, 4)], epsilon=1e-3)
add("branches_shared", "BranchwiseRMSNorm", [lambda r: normal(r, 2, 3, 12)], weights=[lambda r: normal(r, 4)], num_branches=3)
add("branches_plain", "BranchwiseRMSNorm", [lambda r: normal(r, 2, 3, 4)])


def gate(r):
    m = Model("LinearAttentionGate", 2)
    for shape in ((2, 5, 4), (4,), (4,), (2, 5, 4)):
        m.input(normal(r, *shape))
    return m


CASES["gate"] = gate

# ---- older operators ----
add("image_scaler", "ImageScaler", [images], "", opset=8, bias=[1.0, 2.0, 3.0], scale=0.5)
add("scaled_tanh", "ScaledTanh", [images], "", opset=8, alpha=1.5, beta=0.5)
add("parametric_softplus", "ParametricSoftplus", [images], "", opset=8, alpha=1.5, beta=0.5)
add("affine", "Affine", [images], "", opset=8, alpha=1.5, beta=0.5)
add("scale", "Scale", [images], "", opset=8, scale=1.5)
add("crop_border", "Crop", [images], "", opset=8, border=[1, 2, 3, 1])
add("crop_size", "Crop", [images], "", opset=8, border=[1, 2, 0, 0], scale=[4, 3])
add("expand_dims", "ExpandDims", [images], weights=[lambda r: np.array(-2, np.int32)])
add("sample", "SampleOp", [images])
add("pad", "Pad", [images], weights=[lambda r: np.array([0, 0, 1, 2, 0, 1, 0, 0], np.int64), lambda r: np.array([2], np.float32)], mode="constant")
add("gather_nd", "GatherND", [images], weights=[lambda r: np.array([[0, 1], [1, 2]], np.int64)])
add("grid_sample", "GridSample", [images, lambda r: normal(r, 2, 4, 5, 2, scale=0.5)], mode="bilinear", padding_mode="border")

if __name__ == "__main__":
    main()
