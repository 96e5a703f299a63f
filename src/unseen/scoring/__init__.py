"""What a model is measured by: accuracy, and mIoU from a confusion matrix."""
