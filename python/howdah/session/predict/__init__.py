"""What a plan will take, before it is built; and how right that was."""
