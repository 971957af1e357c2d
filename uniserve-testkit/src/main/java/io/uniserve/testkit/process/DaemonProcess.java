package io.uniserve.testkit.process;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Daemon in a process of its own. Its output goes to a log file; it serves after the line {@code ready KIND HOST:PORT ...}. Thread-safe.
 */
public final class DaemonProcess implements AutoCloseable {
    private static final int TAIL_LINES = 15;

    private final String name;
    private final Path log;
    private final Process process;
    private final CompletableFuture<Address> ready = new CompletableFuture<>();
    private final Deque<String> tail = new ArrayDeque<>();

    private DaemonProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    /** Starts the command; its output is appended to the log file. */
    public static DaemonProcess start(String name, List<String> command, Path log) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            DaemonProcess daemon = new DaemonProcess(name, log, process);
            Thread reader = new Thread(daemon::readOutput, "output-" + name);
            reader.setDaemon(true);
            reader.start();
            return daemon;
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot start " + name + ": " + command.get(0), e);
        }
    }

    private void readOutput() {
        try (BufferedReader in =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                Writer out = Files.newBufferedWriter(
                        log, java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.APPEND)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.write(line);
                out.write('\n');
                out.flush();
                onLine(line);
            }
        } catch (IOException e) {
            ready.completeExceptionally(new UncheckedIOException(e));
        }
        ready.completeExceptionally(
                new UniserveException(ErrorCode.UNAVAILABLE, name + " ended before it was ready:\n" + tail()));
    }

    private void onLine(String line) {
        synchronized (tail) {
            tail.addLast(line);
            if (tail.size() > TAIL_LINES) {
                tail.removeFirst();
            }
        }
        if (line.startsWith("ready ")) {
            ready.complete(Address.parse(line.split(" ")[2]));
        }
    }

    /** Waits until the daemon serves. Fails with the last lines of its output if it ends, or after the time-out. */
    public Address awaitReady(long timeoutMs) {
        try {
            return ready.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof UniserveException known
                    ? known
                    : new UniserveException(ErrorCode.UNAVAILABLE, name + " did not start", e);
        } catch (TimeoutException e) {
            throw new UniserveException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    name + " was not ready after " + timeoutMs + " ms; see " + log + "\n" + tail(),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted while waiting for " + name, e);
        }
    }

    /** Returns its last lines of output. */
    public String tail() {
        synchronized (tail) {
            return String.join("\n", tail);
        }
    }

    public String name() {
        return name;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends SIGKILL and waits for the end. */
    public void kill() {
        killWithoutWait();
        awaitExit();
    }

    /** Sends SIGKILL, without waiting for the end. */
    public void killWithoutWait() {
        process.toHandle().destroyForcibly();
    }

    /** Sends SIGSTOP: the process stops, its connections stay open. */
    public void pause() {
        signal("STOP");
    }

    /** Sends SIGCONT. */
    public void resume() {
        signal("CONT");
    }

    /** Sends SIGTERM: the daemon drains and ends. */
    public void terminate() {
        process.toHandle().destroy();
    }

    /** Sends SIGINT, like Ctrl-C: the daemon drains and ends. */
    public void interrupt() {
        signal("INT");
    }

    /** Waits for the end and returns the exit code. */
    public int awaitExit() {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted while waiting for the end of " + name, e);
        }
    }

    private void signal(String signal) {
        try {
            int exit = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new UniserveException(
                        ErrorCode.IO, "kill -" + signal + " " + process.pid() + " failed with " + exit);
            }
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot signal " + name, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted while signalling " + name, e);
        }
    }

    /** Kills the process if it still runs. */
    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }
}
