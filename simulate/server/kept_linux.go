package server

import (
	"fmt"

	"locktorture/internal/resp"
)

// A kept is what a redis-server keeps beside its data as long as it runs.
type kept struct {
	settings map[string]string // with which it started
	set      bool              // a client may have changed some
	users    bool              // a client may have made or changed some
	library  bool              // a client may have loaded one
}

// note looks for commands that change what is kept.
func (k *kept) note(cmd command) {
	switch {
	case cmd.name == "CONFIG" && cmd.arg == "SET":
		k.set = true
	case cmd.name == "ACL":
		k.users = true
	case cmd.name == "FUNCTION":
		k.library = true
	}
}

// remember notes what the server has been started with.
func (w *wires) remember() (err error) {
	w.kept.settings, err = w.settings()
	return err
}

// restore makes settings and users as they were at the start. Functions are data, and are gone
// if those are lost.
func (w *wires) restore(lost bool) error {
	if w.kept.users {
		if err := w.restoreUsers(); err != nil {
			return err
		}
		w.kept.users = false
	}
	if w.kept.set {
		if err := w.restoreSettings(); err != nil {
			return err
		}
		w.kept.set = false
	}
	if !lost || !w.kept.library {
		return nil
	}
	w.kept.library = false
	return w.admin("FUNCTION", "FLUSH")
}

func (w *wires) restoreSettings() error {
	now, err := w.settings()
	if err != nil {
		return err
	}
	for name, was := range w.kept.settings {
		if now[name] == was {
			continue
		}
		if err := w.admin("CONFIG", "SET", name, was); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// restoreUsers leaves the default user alone, who may do everything. It does without the rule
// "reset", which also sets a flag that the user does not have at the start.
func (w *wires) restoreUsers() error {
	names, err := w.texts("ACL", "USERS")
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == "default" {
			continue
		}
		if err := w.admin("ACL", "DELUSER", name); err != nil {
			return err
		}
	}
	_ = w.admin("ACL", "SETUSER", "default", "clearselectors") // before Redis 7 there are none
	return w.admin("ACL", "SETUSER", "default", "on", "nopass", "~*", "&*", "+@all")
}

func (w *wires) settings() (map[string]string, error) {
	texts, err := w.texts("CONFIG", "GET", "*")
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for i := 0; i+1 < len(texts); i += 2 {
		all[texts[i]] = texts[i+1]
	}
	return all, nil
}

// texts is an answer that is a list of texts.
func (w *wires) texts(words ...string) (texts []string, err error) {
	answer, err := w.answer(words...)
	if err != nil {
		return nil, err
	}
	v, _, err := resp.Parse(answer)
	for _, of := range v.Elements {
		texts = append(texts, string(of.Text))
	}
	return texts, err
}
