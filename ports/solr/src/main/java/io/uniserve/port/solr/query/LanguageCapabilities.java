package io.uniserve.port.solr.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Table of supported syntax: parameters, functions and parsers, read from a text that the manual prints too. It rejects everything else by
 * name. Immutable, so safe for use by several threads. The text has one entry per line, with {@code " | "} between cells; other lines are
 * comments:
 *
 * <pre>
 * shape | NAME | regular expression of a value | advice in the error if a value does not match
 * yes | parameter | NAME NAME* NAME+ | SHAPE        * may be repeated, + may also be f.FIELD.NAME
 * yes | KIND | NAME NAME | remark
 * no | KIND | NAME NAME | reason
 * pattern | KIND | regular expression that finds a rejected name in lines NAME=VALUE: its first group; NAMES stands for all of them | TEXTS
 * words | regular expression | regular expression of lines that contain only words, used if the first one finds nothing in the text
 * never | regular expression that finds, in the lines NAME=VALUE of all parameters, a combination that is not supported | the error;
 *       NAME in it stands for the expression's first group | TEXTS
 * once | NAME NAME | reason why the answer may not have one name for two values of one of these parameters
 * apart | NAME | OTHER | the error for a query that also has OTHER for the same field FIELD
 * </pre>
 *
 * TEXTS is optional: texts without which the expression cannot match, separated by blanks; a comma separates alternatives. Few queries
 * contain them, so most checks need no regular expression.
 */
public final class LanguageCapabilities {
    private static final Pattern OF_A_FIELD = Pattern.compile("f\\..+?\\.(\\w+\\..+|\\w+)", Pattern.DOTALL);

    /** Prefix of a reference to a parameter, and the longest possible name after it. */
    private static final Pattern REFERENCE =
            Pattern.compile("(?:\\$\\{?|\\bparam[\"']?\\s*:\\s*[\"']?)(?=([^\\s$\"'{}(),&]{1,256}+))");

    private static final Pattern ESCAPE = Pattern.compile("\\\\+u([0-9a-fA-F]{4})");
    private static final char NEXT_LINE = 0x85;

    private final Map<String, Shape> parameters = new LinkedHashMap<>();
    private final Set<String> repeatableParameters = new HashSet<>();
    private final Set<String> perFieldParameters = new HashSet<>();
    private final Map<String, String> refusalReasons = new LinkedHashMap<>();
    private final Map<String, Rule> refusedPatterns = new LinkedHashMap<>();
    private final Map<Pattern, Pattern> plainWordPatterns = new LinkedHashMap<>();
    private final List<Rule> unsupportedCombinations = new ArrayList<>();

    private final Map<String, String> uniqueResultNames = new LinkedHashMap<>();
    private final Map<String, String[]> exclusiveParameters = new LinkedHashMap<>();

    /** Required form of a value, and the advice if a value differs. */
    private record Shape(Pattern pattern, String remedy) {}

    /** Rejected expression, its error, and the texts without which it cannot match. */
    private record Rule(Pattern pattern, String description, List<List<String>> requiredTexts) {
        static Rule of(Pattern pattern, String[] cells) {
            String[] texts = cells.length > 3 ? cells[3].trim().split(" ") : new String[0];
            return new Rule(
                    pattern,
                    cells[2],
                    Arrays.stream(texts).map(text -> List.of(text.split(","))).toList());
        }

        boolean mayFind(String text) {
            for (List<String> oneOf : requiredTexts) {
                if (oneOf.stream().noneMatch(text::contains)) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Parses the table. The text belongs to the port, so a syntax error in it is a bug. */
    public LanguageCapabilities(String text) {
        Map<String, Shape> shapes = new LinkedHashMap<>();
        for (String line : text.split("\n")) {
            String[] cells = line.split(" \\| ");
            if (cells[0].equals("shape")) {
                shapes.put(cells[1], new Shape(Pattern.compile(cells[2], Pattern.DOTALL), cells[3]));
            } else if (cells[0].equals("no")) {
                List.of(cells[2].split(" ")).forEach(name -> refusalReasons.put(cells[1] + " " + name, cells[3]));
            } else if (cells[0].equals("pattern")) {
                String pattern = cells[2].replace("NAMES", refusedNamesRegex(cells[1]));
                refusedPatterns.put(cells[1], Rule.of(Pattern.compile(pattern, Pattern.UNIX_LINES), cells));
            } else if (cells[0].equals("words")) {
                Pattern lines = Pattern.compile(cells[2], Pattern.MULTILINE | Pattern.UNIX_LINES);
                plainWordPatterns.put(Pattern.compile(cells[1]), lines);
            } else if (cells[0].equals("never")) {
                unsupportedCombinations.add(
                        Rule.of(Pattern.compile(cells[1], Pattern.MULTILINE | Pattern.DOTALL), cells));
            } else if (cells[0].equals("once")) {
                List.of(cells[1].split(" ")).forEach(name -> uniqueResultNames.put(name, cells[2]));
            } else if (cells[0].equals("apart")) {
                exclusiveParameters.put(cells[1], cells);
            } else if (cells[0].equals("yes") && cells[1].equals("parameter")) {
                Shape shape = shapes.get(cells[3]);
                Set.of(cells[2].split(" ")).forEach(name -> addSupported(name, shape));
            }
        }
    }

    private void addSupported(String marked, @Nullable Shape shape) {
        if (shape == null) {
            throw new IllegalArgumentException("parameter " + marked + " has a shape that is not in the table");
        }
        String name = marked.replaceAll("[*+]", "");
        parameters.put(name, shape);
        if (marked.contains("*")) {
            repeatableParameters.add(name);
        }
        if (marked.contains("+")) {
            perFieldParameters.add(name);
        }
    }

    private String refusedNamesRegex(String kind) {
        return refusalReasons.keySet().stream()
                .filter(key -> key.startsWith(kind + " "))
                .map(key -> Pattern.quote(key.substring(kind.length() + 1)))
                .collect(Collectors.joining("|"));
    }

    /** Creates an UNSUPPORTED error, with the reason if the table has one. */
    public UniserveException unsupported(String kind, String name) {
        String why = refusalReasons.getOrDefault(kind + " " + name, "the manual lists what is");
        return UniserveException.unsupported(
                kind + " \"" + PrintableText.line(name) + "\" is not supported: " + why + "; remove it");
    }

    /** Formats parameters as lines {@code NAME=VALUE}, one per value; line breaks in names and values become blanks. */
    public static String toLines(Iterable<Map.Entry<String, String[]>> all) {
        StringBuilder lines = new StringBuilder();
        for (Map.Entry<String, String[]> one : all) {
            for (String value : one.getValue()) {
                String line = one.getKey() + "=" + value;
                lines.append(normalizeWhitespace(line).replace('\n', ' ')).append('\n');
            }
        }
        return lines.toString();
    }

    /** Replaces every kind of Unicode blank except the line feed by a space. */
    private static String normalizeWhitespace(String text) {
        StringBuilder all = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean plain = c > ' ' && c < NEXT_LINE;
            boolean blank = !plain && (Character.isWhitespace(c) || Character.isSpaceChar(c) || c == NEXT_LINE);
            all.append(blank && c != '\n' ? ' ' : c);
        }
        return all.toString();
    }

    /**
     * Rejects, by name, unsupported functions, parsers and other parts that the table's patterns find. Backslashes, escapes such as
     * <code>\\u006f</code> and other kinds of blanks cannot hide a part.
     *
     * @param text result of {@link #toLines}
     * @param allowed accepts a match, by the text that starts there
     */
    public void checkParts(String text, Predicate<String> allowed) {
        String asGiven = normalizeWhitespace(text);
        checkUnescaped(asGiven, allowed);
        if (!asGiven.contains("\\u")) {
            return;
        }
        String decoded = asGiven;
        for (Matcher escape = ESCAPE.matcher(decoded); escape.find(); escape = ESCAPE.matcher(decoded)) {
            decoded = escape.replaceAll(found -> Matcher.quoteReplacement(
                    normalizeWhitespace(Character.toString(Integer.parseInt(found.group(1), 16)))
                            .replace('\n', ' ')));
        }
        if (!decoded.equals(asGiven)) {
            checkUnescaped(decoded, allowed);
        }
    }

    private void checkUnescaped(String text, Predicate<String> allowed) {
        String bare = text.replace("\\", "");
        if (refusedPatterns.values().stream().noneMatch(part -> part.mayFind(bare))) {
            return;
        }
        String told = text;
        for (Map.Entry<Pattern, Pattern> line : plainWordPatterns.entrySet()) {
            if (!line.getKey().matcher(text).find()) {
                told = line.getValue().matcher(told).replaceAll("");
            }
        }
        checkRefusedPatterns(told.replace("\\", ""), allowed);
        if (told.contains("\\")) {
            checkRefusedPatterns(told, allowed); // backslashes decide the end of a quoted value
        }
    }

    private void checkRefusedPatterns(String judged, Predicate<String> allowed) {
        refusedPatterns.forEach((kind, rule) -> {
            for (Matcher part = rule.pattern().matcher(judged); part.find(); ) {
                if (!allowed.test(judged.substring(part.start()))) {
                    throw unsupported(kind, part.group(1));
                }
            }
        });
    }

    /** Rejects combinations of parameters that are supported only separately. */
    private void checkCombinations(Iterable<Map.Entry<String, String[]>> all) {
        String lines = toLines(all);
        for (Rule rule : unsupportedCombinations) {
            Matcher found = rule.pattern().matcher(lines);
            if (rule.mayFind(lines) && found.find()) {
                String name = found.groupCount() == 0 ? "" : PrintableText.line(String.valueOf(found.group(1)));
                throw UniserveException.unsupported(rule.description().replace("NAME", name));
            }
        }
    }

    /**
     * Checks all parameters. Names that values refer to, as {@code $name}, <code>${name}</code> or, in JSON, {@code param: name}, are the
     * user's own parameters and allowed, unless the table rejects them by name.
     *
     * @param values all values that may contain references
     */
    public void check(Iterable<Map.Entry<String, String[]>> all, String values) {
        checkCombinations(all);
        Set<String> own = referencedNames(values);
        all.forEach(one -> check(one.getKey(), one.getValue(), own::contains));
    }

    /** Names that the values refer to: every prefix that ends at a word boundary, because names may contain dots and hyphens. */
    private static Set<String> referencedNames(String values) {
        if (!values.contains("$") && !values.contains("param")) {
            return Set.of();
        }
        Set<String> names = new HashSet<>();
        for (Matcher found = REFERENCE.matcher(values); found.find(); ) {
            String longest = found.group(1);
            for (int end = 1; end <= longest.length(); end++) {
                boolean inWord = end < longest.length() && isWord(longest.charAt(end));
                if (isWord(longest.charAt(end - 1)) && !inWord) {
                    names.add(longest.substring(0, end));
                }
            }
        }
        return names;
    }

    private static boolean isWord(char c) {
        return c == '_' || Character.isLetterOrDigit(c);
    }

    /**
     * Checks the parameter {@code json.facet/OPTION}; see {@link #check(String, String[], Predicate)} and {@link
     * io.uniserve.port.solr.facet.JsonFacetWalker}.
     */
    public void checkFacetOption(String option, String value) {
        check("json.facet/" + option, new String[] {value}, any -> false);
    }

    /**
     * Returns whether the table rejects the parameter by name, also in its form for one field. The engine reads it even if a user defines
     * it.
     */
    public boolean isRefused(String parameter) {
        return refusalReasons.containsKey("parameter " + parameter)
                || (parameter.startsWith("f.")
                        && refusalReasons.keySet().stream()
                                .filter(key -> key.startsWith("parameter "))
                                .anyMatch(key -> parameter.endsWith("." + key.substring("parameter ".length()))));
    }

    /**
     * Rejects a parameter that is unsupported, repeated although it must not be, or of the wrong form.
     *
     * @param own accepts the names of the user's own parameters in this query
     */
    public void check(String parameter, String[] values, Predicate<String> own) {
        Matcher field = OF_A_FIELD.matcher(parameter);
        String name = parameter.startsWith("f.") && field.matches() && perFieldParameters.contains(field.group(1))
                ? field.group(1)
                : parameter;
        Shape shape = parameters.get(name);
        if (shape == null) {
            if (!isRefused(parameter) && own.test(parameter)) {
                return;
            }
            throw unsupported("parameter", parameter);
        }
        if (values.length > 1 && !repeatableParameters.contains(name)) {
            throw UniserveException.invalid("parameter " + parameter + " is given twice: give it once");
        }
        for (String value : values) {
            if (!shape.pattern().matcher(value).matches()) {
                throw new UniserveException(
                        shape.remedy().contains("not supported") ? ErrorCode.UNSUPPORTED : ErrorCode.INVALID_ARGUMENT,
                        "parameter " + parameter + " is \"" + PrintableText.line(value) + "\": use " + shape.remedy());
            }
        }
    }

    /**
     * Request in a parameter's value, such as a facet.
     *
     * @param field its field
     * @param name its name in the answer
     * @param exclusive whether the {@code apart} lines of the table apply to it
     */
    public record Named(String field, String name, boolean exclusive) {}

    /** Parser of a parameter's value. */
    public interface Naming {
        /** Parses the value; throws any exception if it is malformed. */
        Named of(String parameter, String value) throws Exception;
    }

    /**
     * Rejects queries whose answer would have one name for two results, and combinations on one field that are not supported.
     *
     * @param values returns the values of a parameter, or null
     */
    public void checkNames(Function<String, String @Nullable []> values, Naming naming) throws Exception {
        Set<String> fields = new HashSet<>();
        for (Map.Entry<String, String> parameter : uniqueResultNames.entrySet()) {
            String[] given = values.apply(parameter.getKey());
            Set<String> names = new HashSet<>();
            for (String value : given == null ? new String[0] : given) {
                Named named = naming.of(parameter.getKey(), value);
                if (!names.add(named.name())) {
                    throw UniserveException.unsupported("%s \"%s\" is given twice, which is not supported: %s"
                            .formatted(parameter.getKey(), PrintableText.line(named.name()), parameter.getValue()));
                }
                fields.add(parameter.getKey() + " " + named.field());
                String[] other = exclusiveParameters.get(parameter.getKey());
                if (other != null && named.exclusive() && fields.contains(other[2] + " " + named.field())) {
                    throw UniserveException.unsupported(other[3].replace("FIELD", PrintableText.line(named.field())));
                }
            }
        }
    }
}
