package io.uniserve.benchmark.druidpeer;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.druid.cli.Main;

/**
 * One service of Druid in this process: its own command line with properties from this JVM's options. It uses a free port, unless the
 * properties name one.
 */
public final class DruidNode {
    private static final String PORT = "druid.plaintextPort";
    private static final int PERIOD_MS = 100;
    private static final int TIMEOUT_MS = 2_000;

    private DruidNode() {}

    /** Argument: coordinator, historical or broker. Prints a line when the service reports that it is ready. */
    public static void main(String[] arguments) throws Exception {
        ParentExit.watch();
        String service = arguments[0];
        if (System.getProperty(PORT) == null) {
            System.setProperty(PORT, Integer.toString(freePort()));
        }
        int port = Integer.getInteger(PORT);
        announceWhenReady(service, port);
        Main.main(new String[] {"server", service});
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void announceWhenReady(String service, int port) {
        // A broker is ready when it has the list of segments; a historical is when it serves those of its disk.
        String path = service.equals("coordinator") ? "/status/health" : "/druid/" + service + "/v1/readiness";
        URI health = URI.create("http://127.0.0.1:" + port + path);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "readiness");
            thread.setDaemon(true);
            return thread;
        });
        CompletableFuture<?> ready = new CompletableFuture<>();
        var unused = timer.scheduleWithFixedDelay(
                () -> {
                    if (isReady(health)) {
                        ready.complete(null);
                    }
                },
                PERIOD_MS,
                PERIOD_MS,
                TimeUnit.MILLISECONDS);
        CompletableFuture<?> announced = ready.thenRun(() -> {
            System.out.println("ready druid-" + service + " 127.0.0.1:" + port + " pid "
                    + ProcessHandle.current().pid());
            timer.shutdown();
        });
        if (announced.isCompletedExceptionally()) {
            throw new IllegalStateException("cannot report that " + service + " is ready");
        }
    }

    private static boolean isReady(URI health) {
        try {
            HttpURLConnection connection = (HttpURLConnection) health.toURL().openConnection();
            connection.setConnectTimeout(TIMEOUT_MS);
            connection.setReadTimeout(TIMEOUT_MS);
            try {
                return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return false; // not listening yet
        }
    }
}
