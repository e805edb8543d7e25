package linear_test

import (
	"math"
	"testing"
	"time"

	"locktorture/checker/linear"
)

// Border cases of locks with several holders, each for its own time, either side of each.
func TestTimedHolds(t *testing.T) {
	const valid, invalid, rw, sem = linear.Valid, linear.Invalid, "timed-rwlock", "timed-semaphore"
	ten, strict := linear.Options{TTL: 10}, linear.Options{TTL: 10, StrictTries: true}
	two, twoStrict := linear.Options{TTL: 10, Capacity: 2}, linear.Options{TTL: 10, Capacity: 2, StrictTries: true}
	long := linear.Options{TTL: math.MaxInt64 * time.Nanosecond, Capacity: 1}
	checkDecided(t, map[string]decided{
		"readers share":                             {row{rw, "1 acquire ok 1 2 shared; 2 acquire ok 3 4 shared", ten, valid, "", nil}, "least points"},
		"a reader is over at the writer's grant":    {row{rw, "1 acquire ok 1 2 shared; 2 acquire ok 3 11", ten, valid, "", nil}, "least points"},
		"a reader is not over":                      {row{rw, "1 acquire ok 1 2 shared; 2 acquire ok 3 10", ten, invalid, "the hold of process 1 cannot have ended before 11", []int{0, 1}}, "least points"},
		"the last of two readers is not over":       {row{rw, "1 acquire ok 1 2 shared; 3 acquire ok 5 6 shared; 2 acquire ok 7 14", ten, invalid, "the hold of process 3", []int{1, 2}}, "least points"},
		"a writer is over at the reader's grant":    {row{rw, "1 acquire ok 1 2; 2 acquire ok 3 11 shared", ten, valid, "", nil}, "least points"},
		"a writer is not over":                      {row{rw, "1 acquire ok 1 2; 2 acquire ok 3 10 shared", ten, invalid, "", []int{0, 1}}, "least points"},
		"each hold has a time of its own":           {row{rw, "1 acquire ok 1 2 shared ttl=3; 2 acquire ok 3 4", ten, valid, "", nil}, "least points"},
		"one that is not over":                      {row{rw, "1 acquire ok 1 2 shared ttl=4; 2 acquire ok 3 4", ten, invalid, "", nil}, "least points"},
		"a renewal lengthens":                       {row{rw, "1 acquire ok 1 2 shared; 1 renew ok 5 6 shared; 2 acquire ok 7 14", ten, invalid, "before 15", nil}, "least points"},
		"and never shortens":                        {row{rw, "1 acquire ok 1 2 shared; 1 renew ok 5 6 shared ttl=1; 2 acquire ok 7 10", ten, invalid, "before 11", nil}, "least points"},
		"another reader's renewal does not":         {row{rw, "1 acquire ok 1 2 shared; 3 acquire ok 1 2 shared; 1 renew ok 5 6 shared; 1 release ok 7 8 shared; 2 acquire ok 9 11", ten, valid, "", nil}, "least points"},
		"a release ends its own mode alone":         {row{rw, "1 acquire ok 1 2 shared; 1 release ok 3 4", ten, invalid, "does not have", []int{1}}, "least points"},
		"told too early that it is over":            {row{rw, "1 acquire ok 1 2 shared; 1 release refused 3 10 shared", ten, invalid, "but this hold cannot be over before 11", []int{0, 1}}, "least points"},
		"told that it is over":                      {row{rw, "1 acquire ok 1 2 shared; 1 release refused 3 11 shared", ten, valid, "", nil}, "least points"},
		"a grant that waits for another":            {row{rw, "1 acquire ok 1 2; 2 acquire ok 3 11; 3 acquire ok 12 20", ten, invalid, "before 21", nil}, "least points"},
		"and gets it":                               {row{rw, "1 acquire ok 1 2; 2 acquire ok 3 11; 3 acquire ok 12 21", ten, valid, "", nil}, "least points"},
		"perhaps released":                          {row{rw, "1 acquire ok 1 2; 1 release unknown 3 -; 2 acquire ok 3 4", ten, valid, "", nil}, "least points"},
		"gone":                                      {row{rw, "1 acquire ok 1 2 shared; 1 end unknown 3 -; 2 acquire ok 3 4", ten, valid, "", nil}, "least points"},
		"renewed with an unknown outcome":           {row{rw, "1 acquire ok 1 2; 1 renew unknown 3 -; 2 acquire ok 4 11", ten, valid, "", nil}, "least points"},
		"an acquire longer than its hold":           {row{rw, "1 acquire ok 1 20; 2 acquire ok 3 4; 2 release ok 5 6", ten, valid, "", nil}, "least points"},
		"one that has to come first":                {row{rw, "1 acquire ok 1 30; 2 acquire ok 12 13; 2 release ok 40 41", ten, valid, "took as long as its hold lasted", nil}, "search"},
		"one that has no place":                     {row{rw, "1 acquire ok 4 30; 2 acquire ok 12 13; 2 release ok 40 41", ten, invalid, "took as long as its hold lasted", nil}, "search"},
		"refused while a reader holds":              {row{rw, "1 acquire ok 1 2 shared; 2 acquire refused 3 4", strict, valid, "", nil}, "least points"},
		"a reader refused while a reader holds":     {row{rw, "1 acquire ok 1 2 shared; 2 acquire refused 3 4 shared", strict, invalid, "nothing can have blocked this try", []int{1}}, "least points"},
		"refused after the release":                 {row{rw, "1 acquire ok 1 2; 1 release ok 3 4; 2 acquire refused 5 6", strict, invalid, "", []int{2}}, "least points"},
		"refused as it is released":                 {row{rw, "1 acquire ok 1 2; 1 release ok 3 5; 2 acquire refused 5 6", strict, valid, "", nil}, "search"},
		"permits to the last":                       {row{sem, "1 acquire ok 1 2; 2 acquire ok 3 4", two, valid, "", nil}, "sweep"},
		"one too many":                              {row{sem, "1 acquire ok 1 2; 2 acquire ok 3 4; 3 acquire ok 5 6", two, invalid, "granted 1 of 2 permits at 6 or earlier, while others surely hold 2", []int{0, 1, 2}}, "sweep"},
		"one is over":                               {row{sem, "1 acquire ok 1 2; 2 acquire ok 3 4; 3 acquire ok 5 11", two, valid, "", nil}, "sweep"},
		"none is over":                              {row{sem, "1 acquire ok 1 2; 2 acquire ok 3 4; 3 acquire ok 5 10", two, invalid, "", nil}, "sweep"},
		"two at once, and one is left":              {row{sem, "1 acquire ok 1 2; 2 acquire ok 3 10 permits=2", two, invalid, "granted 2 of 2 permits", []int{0, 1}}, "sweep"},
		"two at once, and two are left":             {row{sem, "1 acquire ok 1 2; 2 acquire ok 3 11 permits=2", two, valid, "", nil}, "sweep"},
		"more than there are":                       {row{sem, "1 acquire ok 1 2 permits=3", two, invalid, "granted 3 of 2 permits", []int{0}}, "sweep"},
		"of two holds the one with the token":       {row{sem, "1 acquire ok 1 2 token=1; 1 acquire ok 3 4 token=2; 1 release ok 5 6 token=2; 2 acquire ok 7 8; 1 release ok 9 10 token=1", two, valid, "", nil}, "sweep"},
		"of two holds one, it is not known which":   {row{sem, "1 acquire ok 1 2; 1 acquire ok 3 4; 1 release ok 5 6; 2 acquire ok 7 8", two, valid, "a process has several holds", nil}, "search"},
		"a hold that moves with its grant":          {row{sem, "1 acquire ok 1 9; 2 acquire ok 11 12; 2 release ok 13 14", linear.Options{TTL: 10}, valid, "", nil}, "sweep"},
		"and cannot":                                {row{sem, "1 acquire ok 3 9; 2 acquire ok 11 12; 2 release ok 13 14", linear.Options{TTL: 10}, invalid, "", nil}, "sweep"},
		"refused while one is left":                 {row{sem, "1 acquire ok 1 2; 2 acquire refused 3 4", twoStrict, invalid, "", []int{1}}, "sweep"},
		"two refused while one is left":             {row{sem, "1 acquire ok 1 2; 2 acquire refused 3 4 permits=2", twoStrict, valid, "", nil}, "sweep"},
		"refused more than there are":               {row{sem, "2 acquire refused 3 4 permits=3", twoStrict, valid, "", nil}, "sweep"},
		"a TTL beyond all times":                    {row{sem, "1 acquire ok 1 2; 2 acquire ok 1000 1001", long, invalid, "", nil}, "sweep"},
		"a TTL beyond all times, released":          {row{sem, "1 acquire ok 1 2; 1 release ok 3 4; 2 acquire ok 1000 1001", long, valid, "", nil}, "sweep"},
		"no TTL: the hold may be over at its grant": {row{sem, "1 acquire ok 1 2; 2 acquire ok 3 4", linear.Options{Capacity: 1}, valid, "", nil}, "sweep"},
	})
}

// Border cases of latches, either side of each.
func TestLatches(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	two, strict := linear.Options{Parties: 2}, linear.Options{Parties: 2, StrictTries: true}
	checkDecided(t, map[string]decided{
		"after both":                      {row{"latch", "1 count-down ok 1 2; 2 count-down ok 3 4; 3 await ok 1 5", two, valid, "", nil}, "count"},
		"beside the last":                 {row{"latch", "1 count-down ok 1 2; 2 count-down ok 5 6; 3 await ok 1 5", two, valid, "", nil}, "count"},
		"before the last":                 {row{"latch", "1 count-down ok 1 2; 2 count-down ok 6 7; 3 await ok 1 5", two, invalid, "at most 1 of 2 count-downs", []int{2, 0}}, "count"},
		"with one alone":                  {row{"latch", "1 count-down ok 1 2; 3 await ok 1 5", two, invalid, "at most 1 of 2", []int{1, 0}}, "count"},
		"one of unknown outcome counts":   {row{"latch", "1 count-down ok 1 2; 2 count-down unknown 3 -; 3 await ok 1 5", two, valid, "", nil}, "count"},
		"one that was called too late":    {row{"latch", "1 count-down ok 1 2; 2 count-down unknown 6 -; 3 await ok 1 5", two, invalid, "", nil}, "count"},
		"one that was refused does not":   {row{"latch", "1 count-down ok 1 2; 2 count-down refused 3 4; 3 await ok 1 5", two, invalid, "", nil}, "count"},
		"one call twice":                  {row{"latch", "1 count-down ok 1 2; 1 count-down ok 3 4; 3 await ok 1 5", two, valid, "", nil}, "count"},
		"more than it takes":              {row{"latch", "1 count-down ok 1 2; 1 count-down ok 3 4; 1 count-down ok 5 6; 3 await ok 7 8", two, valid, "", nil}, "count"},
		"one, if not said":                {row{"latch", "1 count-down ok 1 2; 3 await ok 1 5", linear.Options{}, valid, "", nil}, "count"},
		"closed before the last returned": {row{"latch", "1 count-down ok 1 2; 2 count-down ok 3 6; 3 await refused 6 7", strict, valid, "", nil}, "count"},
		"closed after it":                 {row{"latch", "1 count-down ok 1 2; 2 count-down ok 3 5; 3 await refused 6 7", strict, invalid, "although the latch was open at 5", []int{0, 1, 2}}, "count"},
		"closed after it, weakly":         {row{"latch", "1 count-down ok 1 2; 2 count-down ok 3 5; 3 await refused 6 7", two, valid, "", nil}, "count"},
		"closed after somebody passed":    {row{"latch", "1 count-down ok 1 2; 2 count-down unknown 3 -; 4 await ok 3 5; 3 await refused 6 7", strict, invalid, "open at 5", []int{2, 3}}, "count"},
		"closed, and one did not count":   {row{"latch", "1 count-down ok 1 2; 2 count-down unknown 3 -; 3 await refused 6 7", strict, valid, "", nil}, "count"},
	})
}

// Border cases of barriers, either side of each.
func TestBarriers(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	two := linear.Options{Parties: 2}
	const in = "1 enter ok 1 3; 2 enter ok 2 4; "
	checkDecided(t, map[string]decided{
		"both are there":                        {row{"barrier", "1 enter ok 1 3; 2 enter ok 2 4", two, valid, "", nil}, "deadlines"},
		"at the last moment":                    {row{"barrier", "1 enter ok 1 3; 2 enter ok 3 4", two, valid, "", nil}, "deadlines"},
		"one was not there yet":                 {row{"barrier", "1 enter ok 1 3; 2 enter ok 4 5", two, invalid, "at most 1 of 2 parties", []int{0}}, "deadlines"},
		"one died while it entered":             {row{"barrier", "1 enter ok 1 3; 2 enter unknown 3 -", two, valid, "", nil}, "deadlines"},
		"it serves once":                        {row{"barrier", "1 enter ok 1 3; 2 enter unknown 3 -; 1 enter ok 4 5", two, invalid, "", nil}, "deadlines"},
		"one gave up":                           {row{"barrier", "1 enter ok 1 3; 2 enter refused 1 9", two, invalid, "", nil}, "deadlines"},
		"the next generation":                   {row{"barrier", in + "1 enter ok 5 7; 2 enter ok 6 8", two, valid, "", nil}, "deadlines"},
		"ahead by one":                          {row{"barrier", in + "1 enter ok 5 7; 2 enter ok 8 9", two, invalid, "", nil}, "deadlines"},
		"three of two":                          {row{"barrier", "1 enter ok 1 5; 2 enter ok 1 5; 3 enter ok 1 6", two, invalid, "at most 1 of 2", []int{2}}, "deadlines"},
		"three, and one more":                   {row{"barrier", "1 enter ok 1 5; 2 enter ok 1 5; 3 enter ok 1 9; 4 enter ok 9 10", two, valid, "", nil}, "deadlines"},
		"both leave":                            {row{"barrier", in + "1 leave ok 5 7; 2 leave ok 6 8", two, valid, "", nil}, "deadlines"},
		"at the last moment, too":               {row{"barrier", in + "1 leave ok 5 7; 2 leave ok 7 8", two, valid, "", nil}, "deadlines"},
		"one left too early":                    {row{"barrier", in + "1 leave ok 5 7; 2 leave ok 8 9", two, invalid, "process 2 was surely inside until 8", []int{0, 2, 3}}, "deadlines"},
		"one never left":                        {row{"barrier", in + "1 leave ok 5 7", two, invalid, "inside until the end", []int{0, 2, 1}}, "deadlines"},
		"one may have left":                     {row{"barrier", in + "1 leave ok 5 7; 2 leave unknown 7 -", two, valid, "", nil}, "deadlines"},
		"one was gone":                          {row{"barrier", in + "1 leave ok 5 7; 2 end unknown 7 -", two, valid, "", nil}, "deadlines"},
		"one was not gone yet":                  {row{"barrier", in + "1 leave ok 5 7; 2 end unknown 8 -", two, invalid, "", nil}, "deadlines"},
		"one died while it entered, and is out": {row{"barrier", "1 enter ok 1 3; 2 enter unknown 3 -; 1 leave ok 5 7", two, valid, "", nil}, "deadlines"},
		"out of what it is not in":              {row{"barrier", "1 leave ok 5 7", two, invalid, "although it is not inside", []int{0}}, "deadlines"},
		"who enters again has left":             {row{"barrier", in + "1 leave ok 5 7; 2 enter ok 6 8; 3 enter ok 6 8", two, valid, "enters again", nil}, "search"},
		"who was there is not known":            {row{"barrier", "1 enter ok 1 5; 2 enter ok 1 6; 3 enter ok 1 7; 4 enter ok 1 8; 1 leave ok 9 11; 4 leave ok 10 12", two, valid, "it is not known to which generation each of them belongs", nil}, "search"},
		"the first never left":                  {row{"barrier", in + "2 leave ok 5 7", two, invalid, "inside until the end", nil}, "deadlines"},
		"one goes on that may be inside":        {row{"barrier", "1 enter unknown 1 -; 2 enter ok 2 3; 1 leave ok 5 6; 2 leave ok 5 6", two, valid, "continues after an operation", nil}, "search"},
		"one that may be inside is gone":        {row{"barrier", "1 enter unknown 1 -; 2 enter ok 2 3; 1 end unknown 5 -; 2 leave ok 6 7", two, valid, "", nil}, "deadlines"},
		"out of where no others came":           {row{"barrier", "1 enter unknown 1 -; 1 leave ok 5 6", two, invalid, "continues after an operation", nil}, "search"},
		"one, if not said":                      {row{"barrier", "1 enter ok 1 3", linear.Options{}, valid, "", nil}, "deadlines"},
	})
}

// Border cases of elections, either side of each.
func TestElections(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	none := linear.Options{}
	const a = "1 campaign ok 1 2 value=a token=3; "
	checkDecided(t, map[string]decided{
		"terms grow":                            {row{"election", a + "2 campaign ok 3 4 value=b token=5", none, valid, "", nil}, "terms"},
		"a lesser term":                         {row{"election", a + "2 campaign ok 3 4 value=b token=2", none, invalid, "had returned before", nil}, "terms"},
		"a lesser term at once":                 {row{"election", a + "2 campaign ok 2 4 value=b token=2", none, valid, "", nil}, "terms"},
		"one term, two leaders":                 {row{"election", a + "2 campaign ok 3 4 value=b token=3", none, invalid, "term 3 has two leaders", []int{0, 1}}, "terms"},
		"no term":                               {row{"election", "1 campaign ok 1 2 value=a", none, invalid, "a leader without a term", []int{0}}, "terms"},
		"refused":                               {row{"election", "1 campaign refused 1 2 value=a", none, valid, "", nil}, "terms"},
		"seen":                                  {row{"election", a + "2 observe ok 3 4 value=a token=3", none, valid, "", nil}, "terms"},
		"seen as another":                       {row{"election", a + "2 observe ok 3 4 value=b token=3", none, invalid, `the leader of this term is "a"`, []int{0, 1}}, "terms"},
		"seen before it was elected":            {row{"election", "2 observe ok -1 0 value=a token=3; " + a[:len(a)-2], none, invalid, "", []int{1, 0}}, "terms"},
		"seen after the next":                   {row{"election", a + "2 campaign ok 3 4 value=b token=5; 3 observe ok 5 6 value=a token=3", none, invalid, "", nil}, "terms"},
		"seen beside the next":                  {row{"election", a + "2 campaign ok 3 5 value=b token=5; 3 observe ok 5 6 value=a token=3", none, valid, "", nil}, "terms"},
		"observers disagree":                    {row{"election", a + "2 campaign ok 1 9 value=b token=5; 3 observe ok 3 4 value=b token=5; 4 observe ok 5 6 value=a token=3", none, invalid, "", nil}, "terms"},
		"observers agree":                       {row{"election", a + "2 campaign ok 1 9 value=b token=5; 3 observe ok 3 5 value=b token=5; 4 observe ok 5 6 value=a token=3", none, valid, "", nil}, "terms"},
		"a candidate that nobody heard of":      {row{"election", "1 campaign unknown 1 - value=a; 2 observe ok 3 4 value=a token=7", none, valid, "", nil}, "terms"},
		"called too late":                       {row{"election", "1 campaign unknown 5 - value=a; 2 observe ok 3 4 value=a token=7", none, invalid, "", nil}, "terms"},
		"two terms of one candidacy":            {row{"election", "1 campaign unknown 1 - value=a; 2 observe ok 3 4 value=a token=7; 2 observe ok 5 6 value=a token=8", none, invalid, "nobody can have campaigned", []int{2}}, "terms"},
		"seen without a term":                   {row{"election", a + "2 observe ok 3 4 value=a", none, valid, "", nil}, "terms"},
		"in which of two terms":                 {row{"election", a + "1 campaign ok 5 6 value=a token=5; 2 observe ok 3 4 value=a", none, valid, "a leader had several terms", nil}, "search"},
		"nobody's value":                        {row{"election", a + "2 observe ok 3 4 value=c", none, invalid, "nobody campaigned", []int{1}}, "terms"},
		"still leads":                           {row{"election", a + "1 renew ok 3 4 token=3", none, valid, "", nil}, "terms"},
		"still leads after the next":            {row{"election", a + "2 campaign ok 3 4 value=b token=5; 1 renew ok 5 6 token=3", none, invalid, "", nil}, "terms"},
		"resigned, and seen":                    {row{"election", a + "1 resign ok 3 4; 2 observe ok 5 6 value=a token=3", none, invalid, "", nil}, "terms"},
		"resigned, and seen at once":            {row{"election", a + "1 resign ok 3 5; 2 observe ok 5 6 value=a token=3", none, valid, "", nil}, "terms"},
		"resigned twice":                        {row{"election", a + "1 resign ok 3 4; 1 resign ok 5 6", none, invalid, "was over or belonged to another process", []int{2}}, "terms"},
		"resigned what it has not":              {row{"election", "1 resign ok 3 4", none, invalid, "belonged to another process", []int{0}}, "terms"},
		"told that it is over, and seen":        {row{"election", a + "1 renew refused 3 4; 2 observe ok 5 6 value=a token=3", none, invalid, "", []int{1, 2}}, "terms"},
		"told that it is over, and seen before": {row{"election", a + "1 renew refused 3 5; 2 observe ok 5 6 value=a token=3", none, valid, "", nil}, "terms"},
		"nobody leads, and then still":          {row{"election", a + "2 observe refused 3 4; 2 observe ok 5 6 value=a token=3", none, invalid, "", nil}, "terms"},
		"nobody leads between two":              {row{"election", a + "2 observe refused 3 4; 2 campaign ok 5 6 value=b token=5; 2 observe ok 7 8 value=b token=5", none, valid, "", nil}, "terms"},
		"nobody leads before the first":         {row{"election", "2 observe refused -2 -1; " + a[:len(a)-2], none, valid, "", nil}, "terms"},
		"nobody leads as the last is seen":      {row{"election", a + "2 observe refused 3 5; 3 observe ok 5 6 value=a token=3", none, valid, "", nil}, "terms"},
		"seen with its term, and without":       {row{"election", "1 campaign unknown 1 - value=a; 2 observe ok 3 4 value=a token=7; 2 observe ok 5 6 value=a", none, valid, "", nil}, "terms"},
		"seen without the term that nobody saw": {row{"election", "1 campaign unknown 1 - value=a; 2 observe ok 3 4 value=a", none, valid, "a leader had several terms", nil}, "search"},
		"a candidate goes on":                   {row{"election", "1 campaign unknown 1 - value=a; 1 resign ok 5 6", none, valid, "continues after", nil}, "search"},
	})
}
