package checker

import "locktorture/history"

// JudgeEvery is Judge with parts of about so many entries of a lock.
var JudgeEvery = judgeEvery

// Whole makes one part of a history.
const Whole = whole

// Bounded is a history within the bounds.
func Bounded(src history.Source) history.Source { return boundedSource{src} }
