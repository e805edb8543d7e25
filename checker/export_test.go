package checker

// JudgeEvery is Judge with parts of about so many entries of a lock.
var JudgeEvery = judge

// Whole makes one part of a history.
const Whole = whole
