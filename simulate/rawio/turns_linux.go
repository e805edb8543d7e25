package rawio

import "golang.org/x/sys/unix"

// TakeTurns lets a process, or with 0 this thread, not interrupt who wakes it: it waits until
// that one waits. Otherwise each message takes two changes of processes more. leave undoes it.
// A process that is not of the usual policy stays as it is.
func TakeTurns(pid int) (leave func(), err error) {
	a, err := unix.SchedGetAttr(pid, 0)
	if err != nil || a.Policy != unix.SCHED_NORMAL {
		return func() {}, err
	}
	was := *a
	a.Policy = unix.SCHED_BATCH
	if err := unix.SchedSetAttr(pid, a, 0); err != nil {
		return func() {}, err
	}
	return func() { _ = unix.SchedSetAttr(pid, &was, 0) }, nil
}
