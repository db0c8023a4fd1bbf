import CacheReplayCommand

CacheReplay.main()
