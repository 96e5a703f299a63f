"""Downloads of published data sets: fetched over https through pooch, checked, unpacked safely."""
