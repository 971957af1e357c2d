package io.uniserve.benchmark.result;

import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.Version;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Last line of a bench, demo, simulation or chaos run: one JSON object {@code {"cmd", "commit", "args", "figures": [...], ..., "pass"}}.
 * Not thread-safe.
 */
public final class ResultLine {
    private final String cmd;
    private final List<String> args;
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final Map<String, @Nullable Object> extraFields = new LinkedHashMap<>();
    private boolean pass = true;

    private ResultLine(String cmd, List<String> args) {
        this.cmd = cmd;
        this.args = List.copyOf(args);
    }

    /** Creates the result of a command, e.g. {@code bench overhead}. It passes until a figure or condition fails. */
    public static ResultLine of(String cmd, List<String> args) {
        return new ResultLine(cmd, args);
    }

    /** Adds a figure. A figure that is not met makes the whole result fail. */
    public ResultLine figure(BenchmarkMetric figure) {
        figures.add(figure);
        pass &= figure.met();
        return this;
    }

    /** Adds a field: text, number, boolean, map or list. */
    public ResultLine with(String name, Object value) {
        if (List.of("cmd", "commit", "args", "figures", "pass").contains(name)
                || extraFields.put(name, value) != null) {
            throw new IllegalArgumentException("field \"" + name + "\" is there already");
        }
        return this;
    }

    /** Adds a condition without a figure. */
    public ResultLine require(boolean condition) {
        pass &= condition;
        return this;
    }

    /** True if all figures and conditions are met. */
    public boolean pass() {
        return pass;
    }

    /** Returns the line, without line end. */
    public String json() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("cmd", cmd);
        fields.put("commit", Version.commit());
        fields.put("args", args);
        fields.put("figures", figures.stream().map(BenchmarkMetric::fields).toList());
        fields.putAll(extraFields);
        fields.put("pass", pass);
        return Console.toJson(fields);
    }

    /** Prints the line and returns the exit code that follows {@link #pass()}. */
    public int print(Console console) {
        console.println(json());
        return pass ? ExitCode.OK : ExitCode.NOT_PASSED;
    }
}
