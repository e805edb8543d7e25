-- Gives the hold of a reader (owner, TTL in ms) a new TTL and answers 1, or 0 if it is over. The lock
-- lasts at least as long.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 or redis.call('PEXPIRE', KEYS[2], ARGV[2]) == 0 then
  return 0
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
