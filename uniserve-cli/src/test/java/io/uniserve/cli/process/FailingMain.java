package io.uniserve.cli.process;

import io.uniserve.api.Document;
import io.uniserve.cli.Logging;
import io.uniserve.cli.Main;
import io.uniserve.client.TableUpdate;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.RequestId;
import io.uniserve.runtime.config.Settings;
import io.uniserve.server.ServerDaemon;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** {@code uniserve} whose servers have {@link FailPoints}; and {@code update-once}, a client that sends one update. */
public final class FailingMain {
    /** The folder of {@link FailPoints}' orders. */
    private static final String ORDERS = "uniserve.test.orders";

    static final int ROWS = 24;
    private static final int FAULT = 70;
    private static final Map<String, String> KEYS = Map.of(
            "--port", "server.port",
            "--data", "server.data-dir",
            "--store", "storage.directory",
            "--ports", "server.ports",
            "--zookeeper", "zookeeper.connect",
            "--cluster", "cluster");

    private FailingMain() {}

    /** Starts processes with this class in place of the distribution's. */
    static JavaLauncher launcher(Path orders) throws URISyntaxException {
        Path classes = Path.of(FailingMain.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        JavaLauncher launcher = JavaLauncher.ofThisProcess().running(FailingMain.class.getName(), classes);
        List<String> flags = new ArrayList<>(launcher.flags());
        flags.add("-XX:TieredStopAtLevel=1"); // they live for seconds
        flags.add("-D" + ORDERS + "=" + orders);
        return new JavaLauncher(launcher.java(), launcher.home(), launcher.classPath(), launcher.main(), flags);
    }

    public static void main(String[] args) throws InterruptedException {
        switch (args[0]) {
            case "server" -> {
                Leash.follow();
                Logging.daemon();
                serve(settings(args));
            }
            case "update-once" -> {
                Leash.follow();
                try (UniserveClient client =
                        UniserveClient.builder().bootstrap(args[1]).build()) {
                    updateOnce(client, args[2]).run().orThrow();
                }
            }
            default -> Main.main(args);
        }
    }

    /** One more on each of some accounts, always under the same id. */
    static TableUpdate<Document> updateOnce(UniserveClient client, String table) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(Map.of("id", "account-" + i, "amount", 1L));
        }
        return client.table(table).updateDocuments("kv.add@1", rows).requestId(new RequestId(7, 7, 1));
    }

    private static Settings settings(String[] args) {
        Map<String, String> given = new LinkedHashMap<>();
        for (int i = 1; i < args.length; i++) {
            String word = args[i];
            if (word.equals("--new")) {
                given.put("uniserve.server.new-data-dir", "true");
            } else if (word.equals("-S")) {
                String[] setting = args[++i].split("=", 2);
                given.put("uniserve." + setting[0], setting[1]);
            } else {
                given.put("uniserve." + KEYS.get(word), args[++i]);
            }
        }
        String ports = Path.of(System.getProperty("uniserve.home"), "ports").toString();
        return Settings.load(Optional.empty(), given, Map.of("uniserve.server.ports-dir", ports));
    }

    private static void serve(Settings settings) throws InterruptedException {
        Path data = settings.server().dataDirectory();
        FailPoints points = new FailPoints(
                Path.of(System.getProperty(ORDERS)), data.getFileName().toString());
        ServerDaemon daemon = ServerDaemon.start(
                settings, points::around, error -> Runtime.getRuntime().halt(FAULT));
        System.out.println("ready server " + daemon.address() + " pid "
                + ProcessHandle.current().pid());
        new CountDownLatch(1).await();
    }
}
