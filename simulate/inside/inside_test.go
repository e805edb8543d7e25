package inside_test

import (
	"strings"
	"testing"

	"locktorture/simulate/inside"
)

// What cannot be simulated is refused with what can.
func TestRefused(t *testing.T) {
	good := inside.Order{Backend: "redsync", Workload: "counter", Options: map[string]string{"extend": "setnx"}}
	if _, err := good.Lock(); err != nil {
		t.Error(err)
	}
	for want, o := range map[string]inside.Order{
		"etcd-lease cannot be simulated": {Backend: "etcd-lease"},
		"the option token":               {Backend: "redis-set", Options: map[string]string{"token": "1s"}},
	} {
		if _, err := o.Lock(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for want, o := range map[string]inside.Order{
		"the workload file-append": {Backend: "redis-set", Workload: "file-append"}, `"soon"`: {Backend: "redis-set", Workload: "counter", Hold: "soon"},
	} {
		if _, err := o.Work(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestAddresses(t *testing.T) {
	if s, _, _, ok := inside.ParseAddr(inside.ServerAddr(inside.Redis, 3)); s != 3 || !ok {
		t.Error(s, ok)
	}
	if s, c, p, ok := inside.ParseAddr(inside.DriverAddr(2, 7)); s != 0 || c != 2 || p != 7 || !ok {
		t.Error(s, c, p, ok)
	}
	for _, addr := range []string{"", "redis-0:6379", "redis-1:80", "driver-0-1", "driver-1", "127.0.0.1:6379"} {
		if _, _, _, ok := inside.ParseAddr(addr); ok {
			t.Errorf("%q was taken", addr)
		}
	}
}
