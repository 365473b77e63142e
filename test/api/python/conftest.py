"""What the tests of the Python package share. RECORDED names the folder of recordings, as test/recordings.sh prints it."""
import os
import pathlib

import pytest

import libpir

RECORDED = pathlib.Path(os.environ["RECORDED"])
SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "models/digits_cnn"

# A program that goes on as long as its input "x", int64 [1], is less than 1.
LOOP = """{
(%x) = "pd_op.data" () {dtype:int64,name:"x",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xi64>
(%one) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
(%go) = "pd_op.less_than" (%x, %one) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
(%n) = "pd_op.while" (cond=%go, inputs=%x) {
^%arg_0 {stop_gradient:true}
(%next) = "pd_op.multiply" (%arg_0, %one) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
(%again) = "pd_op.less_than" (%next, %one) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
() = "cf.yield" (%again, %next) {} : (tensor<1xb>, tensor<1xi64>) ->
}
() = "builtin.shadow_output" (%n) {output_name:"n"} : (tensor<1xi64>) ->
}"""


@pytest.fixture(scope="session")
def digits():
    """A small convolutional network over images [n, 1, 8, 8], float32."""
    return libpir.Model.load(SHIPPED / "model.json")


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """A folder of compiled code: a model that is loaded again compiles nothing."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def loop():
    return libpir.Model.create(libpir.Program.parse(LOOP))
