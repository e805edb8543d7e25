package cgroup

import (
	"testing"
	"testing/fstest"
	"time"
)

// The counts are found where containers and hosts have them, in both versions.
func TestRead(t *testing.T) {
	t.Parallel()
	const (
		v1    = "nr_periods 50\nnr_throttled 20\nthrottled_time 1500000000\n"
		v2    = "usage_usec 7\nnr_periods 50\nnr_throttled 20\nthrottled_usec 1500000\n"
		cpu   = "36 32 0:31 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
		inPod = "36 32 0:31 /kubepods/pod1/c /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n"
		both  = "40 32 0:35 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		one   = "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
	)
	counted := Throttling{50, 20, 1500 * time.Millisecond}
	for name, c := range map[string]struct {
		groups, mounts, file, stat string
		want                       Throttling
	}{
		"version 1":                {"5:memory:/x\n4:cpu,cpuacct:/my/group\n", both + cpu, "sys/fs/cgroup/cpu/my/group/cpu.stat", v1, counted},
		"version 1 in a container": {"4:cpu:/kubepods/pod1/c\n", inPod, "sys/fs/cgroup/cpu/cpu.stat", v1, counted},
		"in one deeper":            {"4:cpu:/kubepods/pod1/c/inner\n", inPod, "sys/fs/cgroup/cpu/inner/cpu.stat", v1, counted},
		"version 2":                {"0::/user.slice/a:b\n", one, "sys/fs/cgroup/user.slice/a:b/cpu.stat", v2, counted},
		"version 2 in a container": {"0::/\n", one, "sys/fs/cgroup/cpu.stat", v2, counted},
		"without a limit":          {"0::/\n", one, "sys/fs/cgroup/cpu.stat", "usage_usec 7\n", Throttling{}},
		"both, the second bare":    {"4:cpu:/g\n0::/\n", "30 25 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" + cpu, "sys/fs/cgroup/cpu/g/cpu.stat", v1, counted},
		"none":                     {"", "", "sys/fs/cgroup/cpu.stat", v2, Throttling{}},
	} {
		root := fstest.MapFS{
			"proc/self/cgroup":    {Data: []byte(c.groups)},
			"proc/self/mountinfo": {Data: []byte("22 1 8:1 / / rw - ext4 /dev/root rw\n" + c.mounts)},
			c.file:                {Data: []byte(c.stat)},
		}
		if got := read(root); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if got := (Throttling{50, 20, 9}).Since(Throttling{30, 15, 4}); got != (Throttling{20, 5, 5}) {
		t.Errorf("since: %+v", got)
	}
}
