package words

import "locktorture/internal/figures"

// Nodes writes names of servers, cleaned: "redis-1 to redis-5", "redis-1, redis-3".
func Nodes(names []string) string {
	clean := make([]string, len(names))
	for i, name := range names {
		clean[i] = Word(name)
	}
	return figures.Names(clean)
}
