"""Memory that belongs elsewhere, or to nothing, in the frame of this one."""
