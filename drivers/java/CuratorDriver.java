import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.KeeperException;

/**
 * Curator's InterProcessMutex as it is, behind the driver protocol (docs/driver-protocol.md), or another
 * of its {@link Recipes} by the option lock.
 *
 * <p>A mutex belongs to a thread, so each lease has a thread of its own. A connection listener, which
 * Curator's manual asks for, tells a lease lost when the connection state is LOST; with the option
 * suspended=lost already when it is SUSPENDED. The option retries is how often a request is tried again, 100 ms
 * after it has failed. The option heap (as in java -Xmx) makes room for what a
 * stop-the-world collection on demand needs, see {@link StopTheWorld}.
 */
public final class CuratorDriver {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A lease and the thread that owns it. */
  private static final class Lease {
    final ExecutorService thread = Executors.newSingleThreadExecutor(CuratorDriver::daemon);
    final String owner;
    Recipes.Hold hold;
    long number; // 0: it is not granted yet
    long lostAt; // as events tell it
    volatile boolean over;
    volatile boolean lost;

    Lease(String owner) {
      this.owner = owner;
    }
  }

  /** An acquire that can be cancelled, from the moment its request was read. */
  private static final class Call {
    private boolean cancelled;
    private boolean granted;
    private Future<Boolean> future;

    synchronized void cancel() {
      if (granted) {
        return;
      }
      cancelled = true;
      if (future != null) {
        future.cancel(true);
      }
    }

    synchronized Future<Boolean> start(ExecutorService on, java.util.concurrent.Callable<Boolean> work) {
      future = on.submit(work);
      if (cancelled) {
        future.cancel(true);
      }
      return future;
    }

    /** Notes a grant, unless nobody waits for it any more. */
    synchronized boolean grant() {
      granted = !cancelled;
      return granted;
    }
  }

  private final Map<Long, Call> calls = new ConcurrentHashMap<>();
  private final Map<Long, Lease> leases = new ConcurrentHashMap<>();
  private final ExecutorService workers = Executors.newCachedThreadPool(CuratorDriver::daemon);
  private final AtomicInteger breaks = new AtomicInteger(); // of the connection
  private CuratorFramework client;
  private Recipes recipe = Recipes.MUTEX;
  private int process;
  private long last;

  private static Thread daemon(Runnable r) {
    Thread t = new Thread(r);
    t.setDaemon(true);
    return t;
  }

  private synchronized void send(ObjectNode reply) {
    System.out.println(reply);
    System.out.flush();
  }

  private static ObjectNode reply(long id) {
    return JSON.createObjectNode().put("id", id);
  }

  private void fail(long id, String error, Object message) {
    send(reply(id).put("error", error).put("message", String.valueOf(message)));
  }

  private final StopTheWorld world = new StopTheWorld();

  private ObjectNode open(JsonNode o) throws Exception {
    process = o.path("process").asInt();
    long ttl = o.get("ttl").asLong();
    List<String> hosts = new ArrayList<>();
    o.get("endpoints").forEach(e -> hosts.add(e.asText()));
    recipe = Recipes.valueOf(o.path("options").path("lock").asText("mutex").toUpperCase(Locale.ROOT));
    boolean suspended = o.path("options").path("suspended").asText().equals("lost");
    int retries = Integer.parseInt(o.path("options").path("retries").asText("1"));
    client =
        CuratorFrameworkFactory.newClient(
            String.join(",", hosts), (int) (ttl / 1_000_000), 2000, new RetryNTimes(retries, 100));
    client
        .getConnectionStateListenable()
        .addListener(
            (c, state) -> {
              if (!state.isConnected()) {
                breaks.incrementAndGet();
              }
              if (state == ConnectionState.LOST || suspended && state == ConnectionState.SUSPENDED) {
                lose();
              }
            });
    client.start();
    if (!client.blockUntilConnected(10, TimeUnit.SECONDS)) {
      throw new TimeoutException("not connected within 10 s");
    }
    ObjectNode traits = JSON.createObjectNode();
    if (recipe == Recipes.MUTEX || recipe == Recipes.LATCH) {
      traits.put("keys", "zookeeper").put("model", "lease"); // also of an election that has no terms
    }
    return traits
        .put("lock", "Curator " + version() + " " + recipe.library + ", Java " + System.getProperty("java.version"))
        .put("kind", recipe.kind).put("fair", recipe != Recipes.SEMAPHORE) // a second permit queues up anew
        .put("wait", "queue").put("renews", true).put("watched", true).put("observed", recipe == Recipes.LATCH)
        .put("least_ttl", 1_000_000_000L).put("free_within", 2 * ttl)
        .put("blind_release", "release does not look at what its delete deleted")
        .put("clock", "ZooKeeper's monotonic clock (session)");
  }

  private static String version() throws java.io.IOException {
    java.util.Properties pom = new java.util.Properties();
    pom.load(CuratorFramework.class.getResourceAsStream("/META-INF/maven/org.apache.curator/curator-framework/pom.properties"));
    return pom.getProperty("version");
  }

  private synchronized void lose() {
    leases.values().forEach(this::lose);
  }

  /** Tells that a lease is lost, or remembers it until its grant is told. */
  private synchronized void lose(Lease l) {
    if (l.over || l.lost) {
      return;
    }
    l.lost = true;
    l.lostAt = System.nanoTime(); // CLOCK_MONOTONIC on Linux
    if (l.number > 0) {
      tellLoss(l);
    }
    if (recipe == Recipes.LATCH && !l.thread.isShutdown()) { // else it would campaign on
      l.thread.submit(() -> { l.hold.release(); return null; });
      l.thread.shutdown();
    }
  }

  private void tellLoss(Lease l) {
    send(JSON.createObjectNode().put("event", "lost").put("lease", l.number).put("mono", l.lostAt));
  }

  private Lease lease(JsonNode q) {
    Lease l = new Lease(recipe.owner("p" + process + ":" + UUID.randomUUID(), q));
    l.hold = recipe.hold(client, l.owner, q, () -> lose(l));
    return l;
  }

  private void acquire(long id, JsonNode q) throws Exception {
    String mode = q.path("mode").asText();
    if (!recipe.knows(mode)) {
      calls.remove(id);
      fail(id, "unsupported", "no mode " + mode);
      return;
    }
    Lease l = lease(q);
    int before = breaks.get();
    long timeout = q.path("timeout").asLong();
    long wait = timeout > 0 ? timeout : Long.MAX_VALUE;
    boolean got;
    try {
      Call call = calls.get(id);
      got = call.start(l.thread, () -> taken(l.hold, wait, call)).get();
    } catch (java.util.concurrent.CancellationException e) {
      // The interrupted acquire leaves the removal of its node to a thread in the background.
      l.thread.shutdown();
      long patience = System.nanoTime() + 1_500_000_000L; // less than the grace of the harness
      boolean gone = l.thread.awaitTermination(1, TimeUnit.SECONDS) && gone(l);
      while (l.thread.isTerminated() && !gone && System.nanoTime() < patience) {
        Thread.sleep(10);
        gone = gone(l);
      }
      fail(id, gone && calm(before) && !l.hold.held() ? "not-acquired" : "unknown", "cancelled");
      return;
    } catch (ExecutionException e) {
      l.thread.shutdown();
      throw e;
    } finally {
      calls.remove(id);
    }
    if (!got) {
      l.thread.shutdown();
      fail(id, calm(before) ? "not-acquired" : "unknown", "held by another");
      return;
    }
    synchronized (this) {
      l.number = ++last;
      leases.put(last, l);
      send(reply(id).put("lease", last).put("owner", l.owner));
      if (l.lost) {
        tellLoss(l);
      }
    }
  }

  /** Acquires, and gives back at once what comes when the caller has given up. */
  private static boolean taken(Recipes.Hold hold, long wait, Call call) throws Exception {
    if (!hold.acquire(wait)) {
      return false;
    }
    if (call.grant()) {
      return true;
    }
    Thread.interrupted(); // by the cancel
    hold.release();
    return false;
  }

  /** Tells that the connection did not break since then: else a node may be left that nobody knows of. */
  private boolean calm(int before) {
    return breaks.get() == before && client.getZookeeperClient().isConnected();
  }

  /** Asks the servers whether the nodes of an owner are gone. */
  private boolean gone(Lease l) throws Exception {
    String parent = l.hold.parent();
    if (client.checkExists().forPath(parent) == null) {
      return true;
    }
    for (String child : client.getChildren().forPath(parent)) {
      try {
        if (l.owner.equals(new String(client.getData().forPath(parent + "/" + child), StandardCharsets.UTF_8))) {
          return false;
        }
      } catch (KeeperException.NoNodeException e) {
        // somebody has just released
      }
    }
    return true;
  }

  private void release(long id, long number) throws Exception {
    Lease l = leases.get(number);
    if (l == null || l.over || l.lost && recipe == Recipes.LATCH) {
      fail(id, "not-held", "released before, told to be over, or never granted");
      return;
    }
    l.thread.submit(() -> { l.hold.release(); return null; }).get();
    l.over = true;
    l.thread.shutdown();
    send(reply(id));
  }

  private void leader(long id, String name) throws Exception {
    if (recipe != Recipes.LATCH) {
      fail(id, "unsupported", "no election");
      return;
    }
    send(reply(id).put("value", Candidate.leader(client, Recipes.path(name))));
  }

  private void ask(long id, long number) {
    Lease l = leases.get(number);
    if (l == null || l.over || l.lost) {
      fail(id, "not-held", "the lease is over");
    } else {
      send(reply(id));
    }
  }

  private void handle(JsonNode q) throws Exception {
    long id = q.path("id").asLong();
    switch (q.path("op").asText()) {
      case "open":
        send(reply(id).put("version", 1).set("traits", open(q.get("open"))));
        return;
      case "acquire":
        acquire(id, q);
        return;
      case "release":
        release(id, q.get("lease").asLong());
        return;
      case "leader":
        leader(id, q.get("lock").asText());
        return;
      case "collect":
        send(reply(id).put("took", world.stop(q.path("least").asLong())));
        return;
      default:
        fail(id, "unsupported", "no operation " + q.path("op").asText());
    }
  }

  /** Answers at once what asks no server, and starts the rest. */
  private void serve() throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      if (line.isBlank()) {
        continue;
      }
      JsonNode q = JSON.readTree(line);
      long id = q.path("id").asLong();
      switch (q.path("op").asText()) {
        case "cancel":
          Call call = calls.get(q.path("target").asLong());
          if (call != null) {
            call.cancel();
          }
          break;
        case "ask":
          ask(id, q.path("lease").asLong());
          break;
        case "close":
          send(reply(id));
          Runtime.getRuntime().halt(0);
          break;
        case "acquire":
          calls.put(id, new Call());
          // falls through
        default:
          workers.submit(
              () -> {
                try {
                  handle(q);
                } catch (Exception e) {
                  fail(id, "unknown", e.getCause() != null ? e.getCause() : e);
                }
              });
      }
    }
    Runtime.getRuntime().halt(0); // the harness is gone: nothing is released
  }

  /** Acquires and releases in a loop of its own, for `torture driver cost`. */
  private void bench(int n) throws Exception {
    ObjectNode o = JSON.createObjectNode().put("ttl", Long.parseLong(System.getenv("TORTURE_TTL_NS")));
    for (String e : System.getenv("TORTURE_ENDPOINTS").split(",")) {
      o.withArray("/endpoints").add(e);
    }
    open(o);
    List<Long> took = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      long start = System.nanoTime();
      ObjectNode q = JSON.createObjectNode().put("lock", "cost").put("permits", 1).put("capacity", 1);
      Recipes.Hold hold = lease(q.put("value", "cost")).hold;
      hold.acquire(Long.MAX_VALUE);
      hold.release();
      took.add(System.nanoTime() - start);
    }
    System.out.println(JSON.writeValueAsString(took));
    Runtime.getRuntime().halt(0);
  }

  public static void main(String[] args) throws Exception {
    if (args.length == 2 && args[0].equals("bench")) {
      new CuratorDriver().bench(Integer.parseInt(args[1]));
    }
    if (args.length == 1 && args[0].equals("version")) {
      System.out.println("Curator " + version() + ", Java " + System.getProperty("java.version"));
      return;
    }
    new CuratorDriver().serve();
  }
}
