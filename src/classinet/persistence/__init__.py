"""Save and load models: a folder of JSON and safetensors, never pickle.

```
MODEL/
  CURRENT                    the name of the version that counts; replaced in one step when that version is complete
  v0002/config.json          format version, kind, library versions, parameters, fingerprint, what stayed behind
        features.jsonl       the name of each feature, a JSON string a line
        vertices.safetensors columns of the vertices, frequency of the features
        graph.safetensors    weights, association, counts, first hop
        neighbors, labels, predictor .safetensors   where the net has them
        predictor_columns, predictor_weights .safetensors   of linear predictors; shared with the build, by hard links
        left_out.jsonl, predictor_left_out.jsonl    why candidates are no vertices
        head.safetensors, extra_features.jsonl      of a classifier
        examples.jsonl       example texts, only of a net that was built with examples
        sample.safetensors   texts that a net kept as counts; a trained classifier does without
        README.md            what this is, for people
        checksums.json       size and SHA-256 of every other file
  v0002.edits.jsonl          the user's edits, one readable line each; absent where there are none
```

Nothing in a file is executed. Every name, shape, offset and index is checked against what it must fit before it is
used, and every failure is one `StorageError` that names the file. A version holds no dates: saving what was loaded
gives the same bytes again (unless something stayed behind).
"""

from classinet.persistence.folder import ModelInfo, describe, load, prune, save, save_edits

__all__ = ["ModelInfo", "describe", "load", "prune", "save", "save_edits"]
