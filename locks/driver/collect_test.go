package driver_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"locktorture/locks/driver"
)

// collecting returns a driver in shell whose runtime says that its world stood still for so
// many ns.
func collecting(t *testing.T, reply string) *driver.Client {
	script := `while read -r line; do
	id=${line#*\"id\":}; id=${id%%,*}; id=${id%%\}*}
	case $line in
	*'"op":"collect"'*'"least":3000000000'*) echo "{\"id\":$id,` + reply + `}" ;;
	*'"op":"clock"'*) echo "{\"id\":$id,\"error\":\"unsupported\"}" ;;
	*'"op":"close"'*) echo "{\"id\":$id}"; exit ;;
	*) echo "{\"id\":$id}" ;;
	esac
done`
	return start(t, driver.Command{Path: "/bin/sh", Args: []string{"-c", script}}, driver.Open{})
}

// TestCollect asks for a collection: the runtime's figure counts, and one that is too short is
// no stop of the world.
func TestCollect(t *testing.T) {
	const least = 3 * time.Second
	k := collecting(t, `\"took\":3100000000`)
	if took, err := k.Collect(t.Context(), least); err != nil || took != 3100*time.Millisecond {
		t.Errorf("%v, %v", took, err)
	}
	if err := k.Echo(t.Context()); err != nil {
		t.Errorf("a driver that has no clock is said to be silent: %v", err)
	}
	if took, err := collecting(t, `\"took\":2900000000`).Collect(t.Context(), least); err == nil || !strings.Contains(err.Error(), "2.9s, not for 3s") {
		t.Errorf("a collection that was too short: %v, %v", took, err)
	}
	if _, err := collecting(t, `\"error\":\"unknown\",\"message\":\"the heap is full\"`).Collect(t.Context(), least); err == nil || !strings.Contains(err.Error(), "the heap is full") {
		t.Errorf("a collection that failed: %v", err)
	}
	none := start(t, childCommand("driver"), driver.Open{Backend: "plain"})
	if _, err := none.Collect(t.Context(), least); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a driver that cannot: %v, want ErrUnsupported", err)
	}
}
