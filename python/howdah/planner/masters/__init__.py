"""Where master daemons live: places of their own, a host of their own, or beside workers."""
