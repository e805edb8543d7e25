package record

import (
	"os"

	"locktorture/internal/atomicfile"
)

// UpdateFile adds plays to a page in a file, as Update does.
func UpdateFile(path string, table []Tally, commit string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := Update(string(page), table, commit)
	if err != nil {
		return err
	}
	return atomicfile.WriteText(path, text)
}
