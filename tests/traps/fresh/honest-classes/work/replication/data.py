from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Source:
    path: str
    columns: tuple

    def load(self):
        frame = pd.read_csv(self.path)
        absent = [name for name in self.columns if name not in frame.columns]
        if absent:
            raise KeyError(f"{self.path} lacks {absent}")
        used = frame.dropna(subset=list(self.columns))
        print(f"rows read {len(frame)}, dropped {len(frame) - len(used)}, used {len(used)}")
        return used
