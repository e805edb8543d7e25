package checker

import "locktorture/timeline"

// JudgeEvery is Judge with parts of about so many entries of a lock.
var JudgeEvery = judgeEvery

// Whole makes one part of a history.
const Whole = timeline.Whole
