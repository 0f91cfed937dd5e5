"""The scikit-learn models: families that skl2onnx converts, each fitted on a little made data."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn import (
    cluster,
    compose,
    cross_decomposition,
    decomposition,
    discriminant_analysis,
    ensemble,
    feature_extraction,
    feature_selection,
    gaussian_process,
    impute,
    linear_model,
    mixture,
    multiclass,
    multioutput,
    naive_bayes,
    neighbors,
    neural_network,
    pipeline,
    preprocessing,
    random_projection,
    svm,
    tree,
)
from sklearn.base import is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.gaussian_process import kernels

Data = tuple[Any, Any]  # features and what is to be predicted


def numbers(classes: int = 3, rows: int = 60, columns: int = 5) -> Data:
    rng = np.random.default_rng(classes)
    y = rng.integers(0, classes, rows)
    return (rng.normal(size=(rows, columns)) + y[:, None] * np.linspace(-1, 1, columns)).astype(np.float32), y


def named(classes: int = 3) -> Data:
    x, y = numbers(classes)
    return x, np.array(["low", "middle", "high", "none"])[y]


def continuous(targets: int = 1) -> Data:
    x, _ = numbers()
    y = np.stack([np.sin(x[:, 0]) + x[:, 1] * (t + 1) + 0.1 * x[:, 2] ** 2 for t in range(targets)], 1)
    return x, y[:, 0] if targets == 1 else y


def counts() -> Data:
    x, y = numbers()
    return np.floor(np.abs(x) * 3).astype(np.float32), y


def rates() -> Data:
    x, y = continuous()
    return x, np.exp(y / 3)


def holes() -> Data:
    x, y = numbers()
    x[np.random.default_rng(0).random(x.shape) < 0.15] = np.nan
    return x, y


def bits() -> Data:
    x, _ = numbers()
    return x, (x[:, :3] > 0).astype(np.int64)


def colours() -> Data:
    """One column of words, one of whole numbers: categories."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"colour": rng.choice(["red", "green", "blue"], 40), "size": rng.integers(0, 4, 40)})
    return frame, (frame["size"] > 1).to_numpy().astype(np.int64)


def table() -> Data:
    """Words, whole numbers and measures, some of them missing."""
    frame, y = colours()
    rng = np.random.default_rng(1)
    frame["price"] = rng.normal(size=40).astype(np.float32)
    frame["weight"] = rng.normal(size=40).astype(np.float32)
    frame.loc[::7, "price"] = np.nan
    return frame, y


def strings() -> Data:
    """Two columns of words."""
    rng = np.random.default_rng(0)
    pick = [rng.choice(words, 40) for words in (["red", "green", "blue"], ["s", "m", "l", "xl"])]
    x = np.stack(pick, 1).astype(object)
    return x, (x[:, 0] == "red").astype(np.int64)


SENTENCES = [
    "the cat sat on the mat", "My dog, and the cat!", "good morning", "the weather is good; the morning is cold", "cat cat cat",
    "Birds fly south in autumn", "it is what it is", "dogs bark at the mail man", "very good", "bad weather, bad mood", "no",
    "one two three four five", "two three", "the", "mail came in the morning",
]  # fmt: skip


def words() -> Data:
    return SENTENCES, np.array([len(text) % 2 for text in SENTENCES])


@dataclass(frozen=True)
class Case:
    """`options` are skl2onnx's. `outputs` replaces the usual methods that give the expected outputs. `labels`: a
    classifier whose ZipMap is tried too. `wide`: also tried with float64 features. `zipmap`: skl2onnx knows that option."""

    name: str
    make: Callable[[], Any]
    data: Callable[[], Data]
    options: dict[str, Any] = field(default_factory=dict)
    outputs: tuple[str, ...] | None = None
    labels: bool = False
    wide: bool = False
    zipmap: bool = True
    since: int = 9
    rtol: float = 1e-3
    atol: float = 1e-4

    def fitted(self, dtype: Any) -> tuple[Any, Any]:
        x, y = _data(self.data)
        if isinstance(x, np.ndarray) and x.dtype.kind == "f":
            x = x.astype(dtype)
        model = self.make().fit(x, y)
        # Distances of 0 to what the model was fitted on have rules of their own.
        return model, x + dtype(0.01) if self.data in (numbers, named, continuous, two, two_named) else x

    def expected(self, model: Any, x: Any, zipmap: bool) -> list[Any]:
        wide = isinstance(x, np.ndarray) and x.dtype == np.float64
        results = [_shaped(getattr(model, name)(x), wide) for name in self.outputs or methods(model)]
        if zipmap:
            results[1] = [dict(zip(model.classes_.tolist(), row.tolist(), strict=True)) for row in results[1]]
        return results


def two() -> Data:
    return numbers(2)


def two_named() -> Data:
    return named(2)


def many_targets() -> Data:
    return continuous(3)


@functools.cache
def _data(make: Callable[[], Data]) -> Data:
    return make()


def methods(model: Any) -> tuple[str, ...]:
    if is_classifier(model):
        return ("predict", "predict_proba" if hasattr(model, "predict_proba") else "decision_function")
    return ("predict",) if is_regressor(model) else ("transform",)


def _shaped(value: Any, wide: bool) -> Any:
    """As skl2onnx gives it: dense, floats in the type of the features, a column where scikit-learn gives a vector of floats."""
    value = np.asarray(value.todense() if hasattr(value, "todense") else value)
    if value.dtype.kind in "OUS":
        return value.astype(object)
    if value.dtype.kind != "f":
        return value.astype(np.int64)
    value = value.astype(np.float64 if wide else np.float32)
    return value.reshape(-1, 1) if value.ndim == 1 else value


CASES: dict[str, Case] = {}


def add(name: str, make: Callable[[], Any], data: Callable[[], Data], **how: Any) -> None:
    assert name not in CASES, name
    CASES[name] = Case(name, make, data, **how)


# ---- classifiers: on two and three classes, with numbers and words as labels

CLASSIFIERS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "logistic": (lambda: linear_model.LogisticRegression(), {}),
    "sgd_log": (lambda: linear_model.SGDClassifier(loss="log_loss", random_state=0), {}),
    "lda": (lambda: discriminant_analysis.LinearDiscriminantAnalysis(), {}),
    "qda": (lambda: discriminant_analysis.QuadraticDiscriminantAnalysis(), {"since": 13}),
    "svc_rbf": (lambda: svm.SVC(probability=True, random_state=0), {}),
    "svc_poly": (lambda: svm.SVC(kernel="poly", probability=True, random_state=0), {}),
    "nu_svc": (lambda: svm.NuSVC(kernel="sigmoid", nu=0.3, probability=True, random_state=0), {}),
    "tree": (lambda: tree.DecisionTreeClassifier(max_depth=4, random_state=0), {}),
    "extra_tree": (lambda: tree.ExtraTreeClassifier(max_depth=4, random_state=0), {}),
    "forest": (lambda: ensemble.RandomForestClassifier(7, random_state=0), {}),
    "extra_trees": (lambda: ensemble.ExtraTreesClassifier(7, random_state=0), {}),
    "ada_boost": (lambda: ensemble.AdaBoostClassifier(n_estimators=5, random_state=0), {}),
    "bagging": (lambda: ensemble.BaggingClassifier(tree.DecisionTreeClassifier(max_depth=3), 4, random_state=0), {}),
    "gradient_boosting": (lambda: ensemble.GradientBoostingClassifier(n_estimators=5, random_state=0), {}),
    "hist_boosting": (lambda: ensemble.HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=3), {}),
    "voting_soft": (
        lambda: ensemble.VotingClassifier(
            [("a", linear_model.LogisticRegression()), ("b", naive_bayes.GaussianNB())], voting="soft", flatten_transform=False
        ),
        {},
    ),
    "stacking": (
        lambda: ensemble.StackingClassifier(
            [("a", linear_model.LogisticRegression()), ("b", tree.DecisionTreeClassifier(max_depth=3, random_state=0))]
        ),
        {},
    ),
    "gaussian_nb": (lambda: naive_bayes.GaussianNB(), {}),
    "bernoulli_nb": (lambda: naive_bayes.BernoulliNB(), {}),
    "knn": (lambda: neighbors.KNeighborsClassifier(3), {"since": 11}),
    "knn_distance": (lambda: neighbors.KNeighborsClassifier(4, weights="distance", p=1), {"since": 11}),
    "radius": (lambda: neighbors.RadiusNeighborsClassifier(30.0), {"since": 12}),
    "mlp": (lambda: neural_network.MLPClassifier((8, 6), max_iter=40, random_state=0), {}),
    "mlp_logistic": (lambda: neural_network.MLPClassifier((8,), activation="logistic", max_iter=40, random_state=0), {}),
    "calibrated": (lambda: CalibratedClassifierCV(linear_model.LogisticRegression(), method="isotonic", cv=3), {}),
    "calibrated_sigmoid": (lambda: CalibratedClassifierCV(naive_bayes.GaussianNB(), cv=3), {}),
    "one_vs_rest": (lambda: multiclass.OneVsRestClassifier(linear_model.LogisticRegression()), {}),
}  # fmt: skip
for _name, (_make, _how) in CLASSIFIERS.items():
    add(_name, _make, numbers, labels=True, wide=True, **_how)
    add(f"{_name}_binary", _make, two_named, labels=True, **_how)
for _name, _data_of in (("multinomial_nb", counts), ("complement_nb", counts), ("categorical_nb", counts)):
    _class = {"multinomial_nb": "MultinomialNB", "complement_nb": "ComplementNB", "categorical_nb": "CategoricalNB"}[
        _name
    ]
    add(_name, getattr(naive_bayes, _class), _data_of, labels=True)
add("linear_svc", lambda: svm.LinearSVC(), numbers, zipmap=False)
add(
    "gaussian_process",
    lambda: gaussian_process.GaussianProcessClassifier(),
    two,
    labels=True,
    since=12,
    rtol=1e-2,
    atol=1e-2,
)
add("ridge_classifier", lambda: linear_model.RidgeClassifier(), named)
add("perceptron", lambda: linear_model.Perceptron(), numbers)
add("svc_scores", lambda: svm.SVC(), numbers)
add("one_vs_one", lambda: multiclass.OneVsOneClassifier(linear_model.LogisticRegression()), numbers, since=10)
add("hist_boosting_missing", CLASSIFIERS["hist_boosting"][0], holes, labels=True)
add("tree_missing", CLASSIFIERS["tree"][0], holes)
add("forest_missing", CLASSIFIERS["forest"][0], holes)
add("forest_two_targets", lambda: ensemble.RandomForestClassifier(4, random_state=0), bits)
add(
    "multi_output",
    lambda: multioutput.MultiOutputClassifier(linear_model.LogisticRegression()),
    bits,
    since=11,
)

# ---- regressors

REGRESSORS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "linear": (lambda: linear_model.LinearRegression(), {}),
    "ridge": (lambda: linear_model.Ridge(), {}),
    "lasso": (lambda: linear_model.Lasso(0.01), {}),
    "elastic_net": (lambda: linear_model.ElasticNet(0.01), {}),
    "bayesian_ridge": (lambda: linear_model.BayesianRidge(), {}),
    "huber": (lambda: linear_model.HuberRegressor(), {}),
    "theil_sen": (lambda: linear_model.TheilSenRegressor(random_state=0, max_subpopulation=50), {}),
    "ransac": (lambda: linear_model.RANSACRegressor(random_state=0), {}),
    "sgd_regressor": (lambda: linear_model.SGDRegressor(random_state=0), {}),
    "svr": (lambda: svm.SVR(), {}),
    "nu_svr": (lambda: svm.NuSVR(kernel="linear"), {}),
    "linear_svr": (lambda: svm.LinearSVR(), {}),
    "tree_regressor": (lambda: tree.DecisionTreeRegressor(max_depth=5, random_state=0), {}),
    "forest_regressor": (lambda: ensemble.RandomForestRegressor(7, random_state=0), {}),
    "extra_trees_regressor": (lambda: ensemble.ExtraTreesRegressor(7, random_state=0), {}),
    "ada_boost_regressor": (lambda: ensemble.AdaBoostRegressor(n_estimators=5, random_state=0), {"since": 11}),
    "bagging_regressor": (lambda: ensemble.BaggingRegressor(n_estimators=4, random_state=0), {}),
    "gradient_boosting_regressor": (lambda: ensemble.GradientBoostingRegressor(n_estimators=6, random_state=0), {}),
    "hist_boosting_regressor": (lambda: ensemble.HistGradientBoostingRegressor(max_iter=6, min_samples_leaf=3), {}),
    "knn_regressor": (lambda: neighbors.KNeighborsRegressor(3), {"since": 11}),
    "knn_regressor_distance": (lambda: neighbors.KNeighborsRegressor(4, weights="distance"), {"since": 11}),
    "mlp_regressor": (lambda: neural_network.MLPRegressor(hidden_layer_sizes=(7,), activation="tanh", max_iter=50, random_state=0), {}),
    "gaussian_process_regressor": (
        lambda: gaussian_process.GaussianProcessRegressor(kernels.RBF() + kernels.WhiteKernel(0.1)),
        {"rtol": 1e-2, "atol": 1e-2},
    ),
    "gaussian_process_matern": (
        lambda: gaussian_process.GaussianProcessRegressor(kernels.Matern(nu=1.5), alpha=0.1),
        {"rtol": 1e-2, "atol": 1e-2},
    ),
    "pls": (lambda: cross_decomposition.PLSRegression(2), {}),
    "stacking_regressor": (
        lambda: ensemble.StackingRegressor([("a", linear_model.Ridge()), ("b", tree.DecisionTreeRegressor(max_depth=3))]),
        {},
    ),
    "voting_regressor": (
        lambda: ensemble.VotingRegressor([("a", linear_model.Ridge()), ("b", linear_model.LinearRegression())]),
        {},
    ),
}  # fmt: skip
for _name, (_make, _how) in REGRESSORS.items():
    add(_name, _make, continuous, wide=True, **_how)
for _name in ("linear", "ridge", "tree_regressor", "forest_regressor", "knn_regressor", "mlp_regressor"):
    add(f"{_name}_many", REGRESSORS[_name][0], many_targets, **REGRESSORS[_name][1])
add("multi_output_regressor", lambda: multioutput.MultiOutputRegressor(linear_model.Ridge()), many_targets)
add("poisson", lambda: linear_model.PoissonRegressor(), rates)
add("gamma", lambda: linear_model.GammaRegressor(), rates)
add("tweedie", lambda: linear_model.TweedieRegressor(power=1.5), rates)
add("quantile", lambda: linear_model.QuantileRegressor(alpha=0.01), continuous)

# ---- clusters, densities, outliers

add("kmeans", lambda: cluster.KMeans(3, n_init=2, random_state=0), numbers, outputs=("predict", "transform"), wide=True)
add(
    "mini_kmeans",
    lambda: cluster.MiniBatchKMeans(3, n_init=2, random_state=0),
    numbers,
    outputs=("predict", "transform"),
)
for _kind in ("full", "tied", "diag", "spherical"):
    add(
        f"mixture_{_kind}",
        functools.partial(mixture.GaussianMixture, 3, covariance_type=_kind, random_state=0),
        numbers,
        outputs=("predict", "predict_proba"),
    )
add(
    "bayesian_mixture",
    lambda: mixture.BayesianGaussianMixture(n_components=3, random_state=0),
    numbers,
    outputs=("predict", "predict_proba"),
)
add(
    "isolation_forest",
    lambda: ensemble.IsolationForest(n_estimators=5, random_state=0),
    numbers,
    outputs=("predict", "decision_function"),
    since=13,
)
add(
    "local_outlier",
    lambda: neighbors.LocalOutlierFactor(5, novelty=True),
    numbers,
    outputs=("predict", "decision_function"),
    since=12,
)
add("one_class_svm", lambda: svm.OneClassSVM(), numbers, outputs=("predict", "decision_function"))
add(
    "sgd_one_class",
    lambda: linear_model.SGDOneClassSVM(random_state=0),
    numbers,
    outputs=("predict", "decision_function"),
)

# ---- transformers

TRANSFORMERS: dict[str, tuple[Callable[[], Any], Callable[[], Data], dict[str, Any]]] = {
    "standard_scaler": (lambda: preprocessing.StandardScaler(), numbers, {}),
    "min_max_scaler": (lambda: preprocessing.MinMaxScaler(clip=True), numbers, {"since": 11}),
    "max_abs_scaler": (lambda: preprocessing.MaxAbsScaler(), numbers, {}),
    "robust_scaler": (lambda: preprocessing.RobustScaler(), numbers, {}),
    "normalizer": (lambda: preprocessing.Normalizer("l2"), numbers, {}),
    "normalizer_max": (lambda: preprocessing.Normalizer("max"), numbers, {}),
    "binarizer": (lambda: preprocessing.Binarizer(threshold=0.3), numbers, {}),
    "polynomial": (lambda: preprocessing.PolynomialFeatures(3), numbers, {}),
    "polynomial_interactions": (lambda: preprocessing.PolynomialFeatures(2, interaction_only=True, include_bias=False), numbers, {}),
    "kbins": (lambda: preprocessing.KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf"), numbers, {}),
    "kbins_onehot": (lambda: preprocessing.KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform"), numbers, {}),
    "power_yeo": (lambda: preprocessing.PowerTransformer(), numbers, {}),
    "quantile_transformer": (lambda: preprocessing.QuantileTransformer(n_quantiles=10), numbers, {"since": 16}),
    "imputer_mean": (lambda: impute.SimpleImputer(), holes, {}),
    "imputer_constant": (lambda: impute.SimpleImputer(strategy="constant", fill_value=-3), holes, {}),
    "imputer_median": (lambda: impute.SimpleImputer(strategy="median"), holes, {}),
    "knn_imputer": (lambda: impute.KNNImputer(n_neighbors=3), holes, {"since": 18}),
    "pca": (lambda: decomposition.PCA(3, whiten=True), numbers, {}),
    "incremental_pca": (lambda: decomposition.IncrementalPCA(2), numbers, {}),
    "truncated_svd": (lambda: decomposition.TruncatedSVD(2, random_state=0), numbers, {}),
    "kernel_pca": (lambda: decomposition.KernelPCA(3, kernel="rbf"), numbers, {}),
    "projection": (lambda: random_projection.GaussianRandomProjection(3, random_state=0), numbers, {}),
    "select_best": (lambda: feature_selection.SelectKBest(k=3), numbers, {}),
    "variance_threshold": (lambda: feature_selection.VarianceThreshold(), numbers, {}),
    "select_from_model": (lambda: feature_selection.SelectFromModel(tree.DecisionTreeClassifier(random_state=0)), numbers, {}),
    "rfe": (lambda: feature_selection.RFE(linear_model.LogisticRegression(), n_features_to_select=2), numbers, {"outputs": ("transform",), "zipmap": False}),
    "trees_embedding": (lambda: ensemble.RandomTreesEmbedding(3, max_depth=3, sparse_output=False, random_state=0), numbers, {}),
    "onehot_strings": (lambda: preprocessing.OneHotEncoder(sparse_output=False, handle_unknown="ignore"), strings, {}),
    "onehot_drop": (lambda: preprocessing.OneHotEncoder(sparse_output=False, drop="first"), strings, {}),
    "onehot_numbers": (lambda: preprocessing.OneHotEncoder(sparse_output=False), counts, {}),
    "ordinal_strings": (lambda: preprocessing.OrdinalEncoder(dtype=np.int64), strings, {"since": 13}),
    "target_encoder": (lambda: preprocessing.TargetEncoder(random_state=0), strings, {"since": 13}),
    "imputer_strings": (lambda: impute.SimpleImputer(strategy="most_frequent", missing_values=""), strings, {"since": 13}),
    "tfidf": (lambda: feature_extraction.text.TfidfVectorizer(), words, {}),
    "tfidf_bigrams": (lambda: feature_extraction.text.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, norm="l1"), words, {}),
    "tfidf_characters": (lambda: feature_extraction.text.TfidfVectorizer(analyzer="char", ngram_range=(1, 2)), words, {}),
    "count": (lambda: feature_extraction.text.CountVectorizer(), words, {}),
    "count_binary_stop": (lambda: feature_extraction.text.CountVectorizer(binary=True, stop_words=["the", "is"]), words, {}),
    "count_cased": (lambda: feature_extraction.text.CountVectorizer(lowercase=False, token_pattern=r"[a-zA-Z]+"), words, {}),
    "union": (
        lambda: pipeline.FeatureUnion([("scale", preprocessing.StandardScaler()), ("pca", decomposition.PCA(2))]), numbers, {},
    ),
}  # fmt: skip
for _name, (_make, _data_made, _how) in TRANSFORMERS.items():
    add(_name, _make, _data_made, wide=_data_made is numbers, **({"since": 10} if _data_made is words else {}), **_how)

# ---- pipelines


def columns(last: Any) -> Any:
    """Words, whole numbers and measures, each prepared in its own way, into one model."""
    measures = pipeline.make_pipeline(impute.SimpleImputer(strategy="median"), preprocessing.StandardScaler())
    prepare = compose.ColumnTransformer(
        [
            ("words", preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["colour"]),
            ("sizes", preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["size"]),
            ("measures", measures, ["price", "weight"]),
        ]
    )
    return pipeline.make_pipeline(prepare, last)


add("columns_logistic", lambda: columns(linear_model.LogisticRegression()), table, labels=True)
add("columns_forest", lambda: columns(ensemble.RandomForestClassifier(5, random_state=0)), table, labels=True)
add("columns_boosting", lambda: columns(ensemble.HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=3)), table)
add("columns_knn", lambda: columns(neighbors.KNeighborsRegressor(3)), table, since=11)
add(
    "text_naive_bayes",
    lambda: pipeline.make_pipeline(feature_extraction.text.CountVectorizer(), naive_bayes.MultinomialNB()),
    words,
    labels=True,
    since=10,
)
add(
    "text_logistic",
    lambda: pipeline.make_pipeline(
        feature_extraction.text.TfidfVectorizer(ngram_range=(1, 2)), linear_model.LogisticRegression()
    ),
    words,
    labels=True,
    since=10,
)
add(
    "scaled_svc",
    lambda: pipeline.make_pipeline(preprocessing.StandardScaler(), decomposition.PCA(3), svm.SVC(probability=True)),
    named,
    labels=True,
)
add(
    "polynomial_ridge",
    lambda: pipeline.make_pipeline(
        preprocessing.PolynomialFeatures(2), preprocessing.MinMaxScaler(), linear_model.Ridge()
    ),
    continuous,
    wide=True,
)
