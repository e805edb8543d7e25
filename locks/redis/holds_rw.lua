-- Lists the holds of a read–write lock (what the keys of readers begin with): of each its owner, what it is, and the ms after which it
-- ends, -1 for never. A reader's ends with its own key, a writer's with the lock.
local mode, out = redis.call('HGET', KEYS[1], 'mode'), {}
for _, owner in ipairs(redis.call('HKEYS', KEYS[1])) do
  local left = -2
  if owner ~= 'mode' then
    left = redis.call('PTTL', mode == 'read' and ARGV[1] .. owner or KEYS[1])
  end
  if left ~= -2 and left ~= 0 then
    table.insert(out, {owner, mode, tostring(left)})
  end
end
return out
