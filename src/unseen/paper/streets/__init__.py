"""The paper's street-scene experiments: recipes on SYNTHIA, on built-in scenes in its place, and on CamVid."""
