package drivertest

// lockRules say what each check of a lock expects.
func lockRules() map[string]string {
	return map[string]string{
		"exclusion":             "of eight clients never two are inside, and all get their turns",
		"try":                   "a held lock is refused, a free one granted, without waiting",
		"deadline":              "a waiter gives up at its deadline with not-acquired, not before and not long after",
		"hand-over":             "a waiter gets the lock once it is released, and not before",
		"cancel":                "whenever an acquire is cancelled it is not-acquired and nothing is left behind, or unknown",
		"release-twice":         "a second release is not-held, and does not end the next holder's lease",
		"release-by-non-holder": "who lost the lock cannot release it under the next holder, and is answered not-held",
		"owner":                 "the servers keep the owner that the grant named, another for each grant, and nothing after the release",
		"holds":                 "the servers list all who hold the lock, under the owners that the grants named, with what each has",
		"until":                 "the lock is not free before the end of the validity that its holder learned",
		"renewal":               "a lease that renews itself outlives its TTL",
		"lost":                  "the holder learns within a TTL that its lease is over",
		"tokens":                "tokens grow from grant to grant",
		"reentrant":             "its owner may enter again, and all others only when it has left as often",
		"fair":                  "waiters are granted the lock in the order in which they came",
		"readers":               "readers hold the lock together, a writer neither beside one nor before the last has released it",
		"upgrade":               "a reader becomes the writer when the other readers are gone, and is refused where another waits for that",
		"permits":               "there are as many permits as the capacity says, several are had together or not at all, and a second release gives back none",
		"election":              "one candidate leads at a time, all observers learn who leads, and a candidate that timed out or resigned leads no longer",
		"latch":                 "nobody passes before all parties have counted down, and then everybody does",
		"count-down-twice":      "a party that counts down again counts once",
		"barrier":               "nobody enters before all have come, nobody leaves before all do, and then they meet again",
		"party-gone":            "a party whose client is gone keeps nobody inside for longer than free_within",
		"successor":             "who comes when a party is gone is not let in beside those who are still inside",
		"crash":                 "the lock of a client that is gone is free after free_within",
		"reconnect":             "an acquire over a cut link is no grant, and no certain refusal if its request may still arrive; afterwards the client works again",
	}
}
