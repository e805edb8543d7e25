package main

// needsProcess names the faults that need clients with processes of their own.
var needsProcess = map[string]bool{"pause": true, "kill-client": true, "client-clock": true}
