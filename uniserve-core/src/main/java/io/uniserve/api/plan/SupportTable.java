package io.uniserve.api.plan;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.Printable;
import io.uniserve.error.UniserveException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What of an engine's language a port supports, read from a text that its manual can print too: whatever is not in it is
 * refused by name. Immutable. Lines, with {@code " | "} between cells; other lines are comments:
 *
 * <pre>
 * shape | NAME | regular expression of a value | what to use, told when a value does not match
 * yes | parameter | NAME NAME* NAME+ | SHAPE        * may be repeated, + may also be f.FIELD.NAME
 * yes | KIND | NAME NAME | remark
 * no | KIND | NAME NAME | why
 * pattern | KIND | regular expression that finds a refused name in a text: its first group; NAMES stands for all of them
 * never | regular expression that finds, in the lines NAME=VALUE of all parameters, what is not supported together | what and why
 * </pre>
 */
public final class SupportTable {
    private static final Pattern OF_A_FIELD = Pattern.compile("f\\..+?\\.(\\w+\\..+|\\w+)");

    private final Map<String, Shape> parameters = new LinkedHashMap<>();
    private final Set<String> repeated = new HashSet<>();
    private final Set<String> ofFields = new HashSet<>();
    private final Map<String, String> refused = new LinkedHashMap<>();
    private final Map<String, Pattern> parts = new LinkedHashMap<>();
    private final Map<Pattern, String> never = new LinkedHashMap<>();

    /** What a value must look like before the engine sees it. */
    private record Shape(Pattern pattern, String remedy) {}

    /** Reads the text; it is the port's own, so an error in it is a fault. */
    public SupportTable(String text) {
        Map<String, Shape> shapes = new LinkedHashMap<>();
        for (String line : text.split("\n")) {
            String[] cells = line.split(" \\| ");
            if (cells[0].equals("shape")) {
                shapes.put(cells[1], new Shape(Pattern.compile(cells[2], Pattern.DOTALL), cells[3]));
            } else if (cells[0].equals("no")) {
                List.of(cells[2].split(" ")).forEach(name -> refused.put(cells[1] + " " + name, cells[3]));
            } else if (cells[0].equals("pattern")) {
                parts.put(cells[1], Pattern.compile(cells[2].replace("NAMES", refused(cells[1]))));
            } else if (cells[0].equals("never")) {
                never.put(Pattern.compile(cells[1], Pattern.MULTILINE | Pattern.DOTALL), cells[2]);
            } else if (cells[0].equals("yes") && cells[1].equals("parameter")) {
                Shape shape = shapes.get(cells[3]);
                Set.of(cells[2].split(" ")).forEach(name -> support(name, shape));
            }
        }
    }

    private void support(String marked, @Nullable Shape shape) {
        if (shape == null) {
            throw new IllegalArgumentException("parameter " + marked + " has a shape that is not in the table");
        }
        String name = marked.replaceAll("[*+]", "");
        parameters.put(name, shape);
        if (marked.contains("*")) {
            repeated.add(name);
        }
        if (marked.contains("+")) {
            ofFields.add(name);
        }
    }

    private String refused(String kind) {
        return refused.keySet().stream()
                .filter(key -> key.startsWith(kind + " "))
                .map(key -> Pattern.quote(key.substring(kind.length() + 1)))
                .collect(Collectors.joining("|"));
    }

    /** UNSUPPORTED, with the reason where the text has one. */
    public UniserveException unsupported(String kind, String name) {
        String why = refused.getOrDefault(kind + " " + name, "the manual lists what is");
        return UniserveException.unsupported(kind + " \"" + Printable.line(name) + "\" is not supported: " + why);
    }

    /**
     * Refuses, by name, what a text has of the refused kinds, where the table's patterns find it.
     *
     * @param allowed judges a find by the text from there on
     */
    public void checkParts(String text, Predicate<String> allowed) {
        parts.forEach((kind, pattern) -> {
            for (Matcher part = pattern.matcher(text); part.find(); ) {
                if (!allowed.test(text.substring(part.start()))) {
                    throw unsupported(kind, part.group(1));
                }
            }
        });
    }

    /** Refuses parameters each of which is supported, but not with the others. */
    private void checkTogether(Iterable<Map.Entry<String, String[]>> all) {
        StringBuilder lines = new StringBuilder();
        for (Map.Entry<String, String[]> one : all) {
            for (String value : one.getValue()) {
                lines.append(one.getKey())
                        .append('=')
                        .append(value.replaceAll("\\R", " "))
                        .append('\n');
            }
        }
        never.forEach((pattern, what) -> {
            if (pattern.matcher(lines).find()) {
                throw UniserveException.unsupported(what);
            }
        });
    }

    /**
     * Checks all parameters. Names that the values refer to, as {@code $name} or <code>${name}</code>, are the user's own.
     *
     * @param values all values in which names may be
     */
    public void check(Iterable<Map.Entry<String, String[]>> all, String values) {
        checkTogether(all);
        all.forEach(one -> check(
                one.getKey(),
                one.getValue(),
                name -> Pattern.compile("\\$\\{?" + Pattern.quote(name) + "\\b")
                        .matcher(values)
                        .find()));
    }

    /**
     * Refuses a parameter that is not supported, repeated where it must not be, or of the wrong shape.
     *
     * @param own the names that the user has made for this query
     */
    public void check(String parameter, String[] values, Predicate<String> own) {
        Matcher field = OF_A_FIELD.matcher(parameter);
        String name = parameter.startsWith("f.") && field.matches() && ofFields.contains(field.group(1))
                ? field.group(1)
                : parameter;
        Shape shape = parameters.get(name);
        if (shape == null) {
            if (own.test(parameter)) {
                return;
            }
            throw unsupported("parameter", parameter);
        }
        if (values.length > 1 && !repeated.contains(name)) {
            throw UniserveException.invalid("parameter " + parameter + " is given twice: give it once");
        }
        for (String value : values) {
            if (!shape.pattern().matcher(value).matches()) {
                throw new UniserveException(
                        shape.remedy().contains("not supported") ? ErrorCode.UNSUPPORTED : ErrorCode.INVALID_ARGUMENT,
                        "parameter " + parameter + " is \"" + Printable.line(value) + "\": use " + shape.remedy());
            }
        }
    }
}
