package rule

import "testing"

// One name for a client: its number in the sentences of all reports.
func TestNamed(t *testing.T) {
	clients := map[int]int{0: 1, 3: 4, 5: 1, 10: 1, 7: 0}
	check(t, []border{
		{"two clients", named("process 0 is granted the lock, while process 3 holds it", clients), "c1 is granted the lock, while c4 holds it"},
		{"two processes of one", named("process 10 is granted, while process 5 holds", clients), "c1 (process 10) is granted, while c1 (process 5) holds"},
		{"one process twice", named("process 5 is granted, process 5 releases", clients), "c1 is granted, c1 releases"},
		{"a process of no known client", named("process 7 and process 70 meet process 0", clients), "process 7 and process 70 meet c1"},
		{"a process of the model alone", named("process -3 is refused", clients), "process -3 is refused"},
	})
}
