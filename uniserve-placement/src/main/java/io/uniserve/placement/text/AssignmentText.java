package io.uniserve.placement.text;

import io.uniserve.codec.BoundedLineReader;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.placement.model.Assignment;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Text format of placements. Per round there is a line {@code round T SECONDS NOTE}, then one line per actor with {@code SERVER:SHARE} per
 * replica. A line is empty for an actor without a host, and {@code #} starts a comment.
 */
public final class AssignmentText {
    private static final int LINE_CHARS_MAX = 1 << 20;

    private AssignmentText() {}

    /** Writes one round. */
    public static void write(StringBuilder out, int round, double seconds, String note, Assignment assignment) {
        out.append(String.format(Locale.ROOT, "round %d %.3f", round, seconds));
        out.append(note.isEmpty() ? "" : " " + note).append('\n');
        for (int i = 0; i < assignment.actors(); i++) {
            for (int p = 0; p < assignment.replicas(i); p++) {
                out.append(p == 0 ? "" : " ").append(assignment.server(i, p));
                out.append(':').append(assignment.share(i, p));
            }
            out.append('\n');
        }
    }

    /**
     * Reads all rounds; errors name the line.
     *
     * @param file its name, for errors
     */
    public static List<Assignment> read(BufferedReader in, String file, int actors, int servers) {
        List<Assignment> rounds = new ArrayList<>();
        List<String> rows = new ArrayList<>();
        int number = 0;
        try {
            BoundedLineReader lines = new BoundedLineReader(in, LINE_CHARS_MAX);
            for (Optional<String> next = lines.next(); next.isPresent(); next = lines.next()) {
                String line = next.get();
                number++;
                if (line.startsWith("#")) {
                    continue;
                }
                if (line.startsWith("round")) {
                    flush(rounds, rows, file, number, actors, servers);
                } else if (rows.size() == actors) {
                    throw malformed(
                            file,
                            number,
                            "a round has more than " + actors + " actors: start the next one with \"round\"",
                            null);
                } else {
                    rows.add(line);
                }
            }
        } catch (BoundedLineReader.TooLongException e) {
            throw malformed(file, number + 1, e.getMessage() + ": use one line per actor", e);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read " + file + ": " + e, e);
        }
        flush(rounds, rows, file, number + 1, actors, servers);
        return rounds;
    }

    private static void flush(
            List<Assignment> rounds, List<String> rows, String file, int line, int actors, int servers) {
        if (rows.isEmpty()) {
            return;
        }
        if (rows.size() != actors) {
            throw malformed(
                    file, line, "a round has " + rows.size() + " actors, but " + actors + " are expected", null);
        }
        int[][] hosts = new int[actors][];
        double[][] shares = new double[actors][];
        for (int i = 0; i < actors; i++) {
            String[] words =
                    rows.get(i).isBlank() ? new String[0] : rows.get(i).strip().split("\\s+");
            hosts[i] = new int[words.length];
            shares[i] = new double[words.length];
            for (int p = 0; p < words.length; p++) {
                parse(words[p], file, line - actors + i, servers, hosts[i], shares[i], p);
            }
        }
        rounds.add(Assignment.of(hosts, shares));
        rows.clear();
    }

    private static void parse(String word, String file, int line, int servers, int[] hosts, double[] shares, int p) {
        int colon = word.indexOf(':');
        try {
            hosts[p] = Integer.parseInt(colon < 0 ? word : word.substring(0, colon));
            shares[p] = colon < 0 ? 1.0 / hosts.length : Double.parseDouble(word.substring(colon + 1));
        } catch (NumberFormatException e) {
            throw malformed(file, line, "'" + PrintableText.line(word) + "' is not SERVER:SHARE", e);
        }
        if (hosts[p] < 0 || hosts[p] >= servers) {
            throw malformed(file, line, "server " + hosts[p] + " is not one of 0 to " + (servers - 1), null);
        }
        if (!(shares[p] >= 0 && shares[p] <= 1.000001)) {
            throw malformed(file, line, "share " + shares[p] + " is not between 0 and 1", null);
        }
        for (int q = 0; q < p; q++) {
            if (hosts[q] == hosts[p]) {
                throw malformed(file, line, "server " + hosts[p] + " is named twice", null);
            }
        }
    }

    private static UniserveException malformed(String file, int line, String what, @Nullable Exception cause) {
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, file + ", line " + line + ": " + what, cause);
    }
}
