"""Recurrent networks."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tests.interop.torch_cases.registry import SCRIPT, add, integers, normal, sizes

SEQUENCES, BATCH = {0: (0, 1)}, {0: (0,)}


class Recurrent(nn.Module):
    """All that the layer gives: output and last states."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor) -> Any:
        y, state = self.layer(x)
        return (y, *state) if isinstance(state, tuple) else (y, state)


class WithState(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.LSTM(5, 7)

    def forward(self, x: torch.Tensor, h: torch.Tensor, c: torch.Tensor) -> Any:
        y, (h, c) = self.layer(x, (h, c))
        return y, h, c


class Packed(nn.Module):
    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> Any:
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        y, state = self.layer(packed)
        padded, _ = pad_packed_sequence(y, batch_first=True)
        return (padded, *state) if isinstance(state, tuple) else (padded, state)


class Tagger(nn.Module):
    """Embedding, a bidirectional LSTM and a class for every token."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 12, padding_idx=0)
        self.lstm = nn.LSTM(12, 9, num_layers=2, bidirectional=True, batch_first=True, dropout=0.1)
        self.out = nn.Linear(18, 5)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.out(self.lstm(self.embed(ids))[0]).log_softmax(-1)


class Cells(nn.Module):
    """Cells stepped in Python: the loop is unrolled."""

    def __init__(self) -> None:
        super().__init__()
        self.gru, self.lstm = nn.GRUCell(4, 6), nn.LSTMCell(6, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = x.new_zeros(x.shape[1], 6)
        a, b = x.new_zeros(x.shape[1], 3), x.new_zeros(x.shape[1], 3)
        outputs = []
        for step in range(5):
            h = self.gru(x[step], h)
            a, b = self.lstm(h, (a, b))
            outputs.append(a)
        return torch.stack(outputs)


batch_first = sizes((2, 6, 5), (1, 1, 5), (3, 11, 5), (4, 6, 5))
LAYERS: dict[str, Any] = {
    "lstm": lambda: nn.LSTM(5, 7, batch_first=True),
    "lstm_bidirectional": lambda: nn.LSTM(5, 7, bidirectional=True, num_layers=2, batch_first=True),
    "lstm_no_bias": lambda: nn.LSTM(5, 7, bias=False, batch_first=True),
    "gru": lambda: nn.GRU(5, 7, batch_first=True),
    "gru_bidirectional": lambda: nn.GRU(5, 7, bidirectional=True, num_layers=2, batch_first=True),
    "rnn_tanh": lambda: nn.RNN(5, 7, batch_first=True),
    "rnn_relu_bidirectional": lambda: nn.RNN(5, 7, nonlinearity="relu", bidirectional=True, batch_first=True),
}
for name, layer in LAYERS.items():
    add(name, lambda layer=layer: Recurrent(layer()), batch_first, dynamic=SEQUENCES, dynamo_dynamic=BATCH)
add(
    "lstm_state",
    WithState,
    lambda: [(normal(n, 2, 5), normal(1, 2, 7, seed=1), normal(1, 2, 7, seed=2)) for n in (4, 1, 9)],
    dynamic={0: (0,)},
    dynamo_dynamic={},
)
add("lstm_projected", lambda: Recurrent(nn.LSTM(5, 7, proj_size=3)), sizes((4, 2, 5)))
for name in ("lstm_bidirectional", "gru"):
    add(
        f"packed_{name}",
        lambda name=name: Packed(LAYERS[name]()),
        lambda: [(normal(3, 6, 5), torch.tensor([6, 4, 1])), (normal(3, 8, 5), torch.tensor([8, 8, 2]))],
        dynamic={0: (1,)},
        exporters=(SCRIPT,),
    )
add(
    "tagger",
    Tagger,
    lambda: [(integers(0, 50, n, t),) for n, t in ((2, 7), (1, 13), (5, 1), (4, 7))],
    dynamic=SEQUENCES,
    dynamo_dynamic=BATCH,
)
add("cells", Cells, sizes((5, 2, 4), (5, 3, 4)), dynamic={0: (1,)})
