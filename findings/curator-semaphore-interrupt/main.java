// Curator 5.4.0: InterProcessSemaphoreV2 loses a permit when an acquire is interrupted at its end.
//
// For each permit acquire takes a mutex, makes a node that counts, and gives the mutex back. It adds the
// lease to those that it returns, or gives back on failure, only after that. An interrupt in between
// (a Future that is cancelled, a time limit, shutdownNow) ends acquire with an InterruptedException, and
// the node stays: nobody has the lease, and the permit is gone until the session of the client ends.
//
// Needs ZooKeeper at $ZOOKEEPER, and Debian's libcurator-recipes-java. Exit 1: the failure showed.
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.RetryOneTime;

final class Main {
    private static final String PATH = "/semaphore-" + UUID.randomUUID();
    private static final int TRIES = 2000;
    private static volatile List<String> where = List.of();

    public static void main(String[] args) throws Exception {
        CuratorFramework client = client();
        InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, PATH, 1);
        semaphore.returnLease(semaphore.acquire(10, TimeUnit.SECONDS)); // it works

        int interrupted = 0;
        for (int i = 1; i <= TRIES; i++) {
            if (acquireInterrupted(semaphore, i)) interrupted++;
            if (lost(client)) {
                System.out.println("1. acquire was interrupted " + interrupted + " times, and each time threw InterruptedException");
                System.out.println("   the last one in " + where);
                System.out.println("2. nobody has a lease, and the nodes that count are " + nodes(client));
                shows();
                return;
            }
        }
        System.out.println("did not show in " + TRIES + " acquires, of which " + interrupted + " were interrupted");
        System.exit(0);
    }

    /** Acquires in a thread that is interrupted soon; false if it got the lease first, which it gives back. */
    private static boolean acquireInterrupted(InterProcessSemaphoreV2 semaphore, int i) throws Exception {
        Lease[] got = new Lease[1];
        Thread thread = new Thread(() -> {
            try {
                got[0] = semaphore.acquire();
            } catch (InterruptedException e) {
                where = Stream.of(e.getStackTrace()).filter(f -> f.getClassName().contains(".recipes.")).map(f -> f.getMethodName()).toList();
            } catch (Exception e) {
                System.out.println(e);
                System.exit(2);
            }
        });
        thread.start();
        TimeUnit.MICROSECONDS.sleep(i * 137L % 12_000);
        thread.interrupt();
        thread.join();
        if (got[0] != null) semaphore.returnLease(got[0]);
        return got[0] == null;
    }

    /** Whether a node stays for two seconds: what was interrupted is tidied up in the background. */
    private static boolean lost(CuratorFramework client) throws Exception {
        for (int i = 0; i < 100; i++) {
            if (nodes(client).isEmpty()) return false;
            Thread.sleep(20);
        }
        return true;
    }

    private static List<String> nodes(CuratorFramework client) throws Exception {
        return client.getChildren().forPath(PATH + "/leases");
    }

    /** Another client gets no lease, until the session of the first one ends. */
    private static void shows() throws Exception {
        boolean refused = new InterProcessSemaphoreV2(client(), PATH, 1).acquire(5, TimeUnit.SECONDS) == null;
        System.out.println("3. another client has " + (refused ? "no" : "a") + " lease after 5 s");
        System.exit(refused ? 1 : 0);
    }

    private static CuratorFramework client() {
        CuratorFramework client = CuratorFrameworkFactory.newClient(System.getenv("ZOOKEEPER"), new RetryOneTime(100));
        client.start();
        return client;
    }
}
