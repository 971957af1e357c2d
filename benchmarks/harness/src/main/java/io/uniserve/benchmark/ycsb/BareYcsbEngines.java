package io.uniserve.benchmark.ycsb;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Processes of a port's engine without Uniserve. Not thread-safe. */
final class BareYcsbEngines implements AutoCloseable {
    private static final String MAIN = "io.uniserve.benchmark.ycsb.engine.BareEngineProcess";
    private static final String BINDING = "io.uniserve.benchmark.ycsb.binding.BareYcsbClient";
    private static final long START_TIMEOUT_MS = 120_000;

    private final YcsbPort port;
    private final List<DaemonProcess> processes = new ArrayList<>();
    private final List<Address> addresses = new ArrayList<>();

    /** Starts this number of processes and waits until all serve. */
    BareYcsbEngines(YcsbPort port, Path directory, int count, String heap) {
        this.port = port;
        JavaLauncher java = JavaLauncher.ofThisProcess();
        String path = String.join(
                File.pathSeparator,
                // first, because the engine needs its own version of Netty
                java.home()
                        .resolve("ports")
                        .resolve(port.port())
                        .resolve("lib")
                        .resolve("*")
                        .toString(),
                YcsbClientProcess.folder().resolve("*").toString(),
                java.classPath());
        JavaLauncher launcher = new JavaLauncher(java.java(), java.home(), path, MAIN, java.flags());
        try {
            Files.createDirectories(directory);
            for (int i = 1; i <= count; i++) {
                String name = "bare-" + port.port() + "-" + count + "-" + i;
                List<String> command = launcher.commandLine(
                        heap,
                        List.of(port.port(), directory.resolve(name).toString(), Integer.toString(YcsbPort.FIELDS)));
                processes.add(DaemonProcess.start(name, command, directory.resolve(name + ".log")));
            }
            processes.forEach(process -> addresses.add(process.awaitReady(START_TIMEOUT_MS)));
        } catch (IOException e) {
            close();
            throw new UniserveException(ErrorCode.IO, "cannot create " + directory, e);
        } catch (UniserveException e) {
            close();
            throw e;
        }
    }

    List<Address> addresses() {
        return List.copyOf(addresses);
    }

    YcsbSide side() {
        Map<String, String> properties = new TreeMap<>(port.bareProperties());
        properties.put(
                "bare.addresses", addresses.stream().map(Address::toString).collect(Collectors.joining(",")));
        return new YcsbSide(
                processes.size() == 1 ? "bare engine" : processes.size() + " bare engines",
                BINDING,
                properties,
                processes.stream().map(DaemonProcess::pid).toList());
    }

    @Override
    public void close() {
        processes.forEach(DaemonProcess::close);
    }
}
