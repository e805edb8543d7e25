package server

import (
	"fmt"

	"locktorture/internal/resp"
)

// A kept tracks the state that a redis-server keeps besides its data until it exits.
type kept struct {
	settings map[string]string // settings at the start
	set      bool              // a client may have changed settings
	users    bool              // a client may have changed users
	library  bool              // a client may have loaded functions
}

// note looks for commands that change the tracked state.
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

// remember stores the settings with which the server was started.
func (w *wires) remember() (err error) {
	w.kept.settings, err = w.settings()
	return err
}

// restore resets settings and users to those at the start. Functions are data and are dropped only
// with lost.
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

// restoreUsers removes all users except the default one, and grants the default user every
// permission. It avoids the rule "reset", which also sets a flag that this user does not have
// at the start.
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
	_ = w.admin("ACL", "SETUSER", "default", "clearselectors") // fails before Redis 7, which has no selectors
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

// texts returns an answer that is a list of texts.
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
