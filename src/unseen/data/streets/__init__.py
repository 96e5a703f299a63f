"""Street scenes as domains, a class for each pixel: built in, SYNTHIA, CamVid."""
