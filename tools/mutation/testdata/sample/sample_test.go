package sample_test

import (
	"testing"

	"locktorture/tools/mutation/testdata/sample"
)

func TestClip(t *testing.T) {
	for _, row := range [][4]int{{1, 2, 4, 2}, {2, 2, 4, 2}, {3, 2, 4, 3}, {4, 2, 4, 4}, {5, 2, 4, 4}} {
		if got := sample.Clip(row[0], row[1], row[2]); got != row[3] {
			t.Errorf("%v: %d", row, got)
		}
	}
}

// TestSum says nothing about zero, which would make no difference, nor about an n that ends the sum.
func TestSum(t *testing.T) {
	if got := sample.Sum([]int{1, -1, 2}, 9); got != 3 {
		t.Errorf("%d", got)
	}
}

func TestSteps(t *testing.T) {
	if got := sample.Steps(3); got != 3 {
		t.Errorf("%d", got)
	}
}
