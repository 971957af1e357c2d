package io.uniserve.cli.command;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Progress bar on the error stream: redrawn in place on a terminal, otherwise one line per tenth. Not thread-safe. */
public final class ProgressBar {
    private static final int WIDTH = 30;
    private static final long REDRAW_NANOS = 100_000_000;

    private final PrintStream err;
    private final boolean terminal;
    private final LongSupplier nanos;
    private final String what;
    private final long total;
    private long drawnAtNanos;
    private long drawnTenth = -1;
    private Runnable lastUpdate = () -> {};

    public ProgressBar(PrintStream err, boolean terminal, LongSupplier nanos, String what, long total) {
        this.err = err;
        this.terminal = terminal;
        this.nanos = nanos;
        this.what = what;
        this.total = Math.max(1, total);
        this.drawnAtNanos = nanos.getAsLong() - REDRAW_NANOS;
    }

    /** Sets the progress. */
    public void update(long done, String note) {
        lastUpdate = () -> draw(Math.min(done, total), note);
        long tenth = done * 10 / total;
        // The end is drawn by finish(): bytes may be read before their rows are loaded.
        if (terminal ? nanos.getAsLong() - drawnAtNanos >= REDRAW_NANOS : tenth > drawnTenth && done < total) {
            drawnAtNanos = nanos.getAsLong();
            drawnTenth = tenth;
            lastUpdate.run();
            lastUpdate = () -> {};
        }
    }

    /** Shows the last state and ends the line. */
    public void finish() {
        lastUpdate.run();
        if (terminal) {
            err.println();
        }
    }

    private void draw(long done, String note) {
        int filled = (int) (done * WIDTH / total);
        String bar = "#".repeat(filled) + "-".repeat(WIDTH - filled);
        String line = String.format(Locale.ROOT, "%s [%s] %3d%% %s", what, bar, done * 100 / total, note);
        if (terminal) {
            err.print("\r" + line + "\033[K");
            err.flush();
        } else {
            err.println(line);
        }
    }
}
