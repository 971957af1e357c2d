package io.uniserve.cli.process;

import io.uniserve.cli.Main;
import io.uniserve.cli.command.Logging;
import io.uniserve.runtime.config.Settings;
import io.uniserve.server.ServerDaemon;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.ParentProcessWatcher;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** {@code uniserve} whose servers have {@link FailPoints}; and {@code update-once}, a client with fail points that sends one update. */
public final class FailingMain {
    /** Directory of the orders of {@link FailPoints}. */
    private static final String ORDERS = "uniserve.test.orders";

    private static final String UPDATED = "updated ";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FAULT = 70;
    private static final Map<String, String> KEYS = Map.of(
            "--host", "server.host",
            "--port", "server.port",
            "--data", "server.data-dir",
            "--store", "storage.location",
            "--engines", "server.engines",
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
                ParentProcessWatcher.start();
                Logging.daemon();
                serve(settings(args));
            }
            case "update-once" -> {
                ParentProcessWatcher.start();
                updateOnce(List.of(args));
            }
            default -> Main.main(args);
        }
    }

    /** Arguments: the command, the process's name, the servers, the table, and the update. */
    private static void updateOnce(List<String> words) {
        FailPoints points = new FailPoints(Path.of(System.getProperty(ORDERS)), words.get(1));
        LoneUpdate update = LoneUpdate.of(words.subList(4, words.size()));
        try (MachineClient client = new MachineClient(List.of(words.get(2).split(",")), words.get(3), points::around)) {
            MachineClient.Updated updated = client.update(LoneUpdate.FUNCTION, update.rows(), update.id(), PATIENCE);
            System.out.println(UPDATED + updated.version() + " " + updated.attempts());
        }
    }

    /** Returns the outcome that such a client has printed; version 0 if it has printed none yet. */
    static MachineClient.Updated outcome(DaemonProcess client) {
        return client.tail()
                .lines()
                .filter(line -> line.startsWith(UPDATED))
                .map(line -> line.split(" "))
                .map(words -> new MachineClient.Updated(Long.parseLong(words[1]), Integer.parseInt(words[2])))
                .findFirst()
                .orElse(new MachineClient.Updated(0, 0));
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
