package io.uniserve.port.druid.suite;

import io.uniserve.testkit.cluster.LocalCluster;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Thread that stops one server of the cluster at each interval, abruptly and without moving its replicas, and starts it again at once. It is
 * the stop that one JVM permits ({@link LocalCluster#stopAbruptly}), not the death of a process.
 */
final class ServerStops implements AutoCloseable {
    private final LocalCluster cluster;
    private final long seconds;
    private final Random random;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "server-stops");
    private volatile int stops;

    ServerStops(LocalCluster cluster, long seconds, long seed) {
        this.cluster = cluster;
        this.seconds = seconds;
        this.random = new Random(seed);
        thread.start();
    }

    private void run() {
        try {
            while (!closed.await(seconds, TimeUnit.SECONDS)) {
                int server = 1 + random.nextInt(SuiteCluster.SERVERS);
                cluster.stopAbruptly(server);
                stops++;
                cluster.start(server);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    int stops() {
        return stops;
    }

    @Override
    public void close() throws InterruptedException {
        closed.countDown();
        thread.join();
    }
}
