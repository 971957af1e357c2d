import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Prints which test suites ran and which tests were skipped and why, from the reports of Surefire and Failsafe.
 *
 * <p>Usage: {@code java TestReport.java ALLOWED-SKIPS.md COUNTS-FILE ROOT}. A skipped test must stand in the table under the heading
 * "Skipped tests" of the Markdown file, as {@code `class`}, {@code `class#method`} or {@code `*#method`}; another skip, a failure, or no test at all gives exit status 1.
 * "passed failed skipped" is written to the counts file.
 */
public final class TestReport {
    private int passed;
    private int failed;
    private int skipped;
    private final List<String> failures = new ArrayList<>();
    private final List<String> unexplained = new ArrayList<>();
    private final Map<String, String> skips = new TreeMap<>();
    private final Set<String> allowed;

    private TestReport(Set<String> allowed) {
        this.allowed = allowed;
    }

    public static void main(String[] args) throws Exception {
        TestReport report = new TestReport(allowedSkips(Path.of(args[0])));
        for (Path file : reportFiles(Path.of(args[2]))) {
            report.add(Path.of(args[2]).toAbsolutePath().normalize(), file.toAbsolutePath().normalize());
        }
        Files.writeString(Path.of(args[1]), report.passed + " " + report.failed + " " + report.skipped + "\n");
        System.exit(report.summary() ? 0 : 1);
    }

    private static Set<String> allowedSkips(Path markdown) throws IOException {
        Set<String> allowed = new TreeSet<>();
        boolean inside = false;
        for (String line : Files.readAllLines(markdown)) {
            if (line.startsWith("#")) {
                inside = line.contains("Skipped tests");
            } else if (inside && line.startsWith("| `")) {
                allowed.add(line.substring(3, line.indexOf('`', 3)));
            }
        }
        return allowed;
    }

    private static List<Path> reportFiles(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(f -> f.getFileName().toString().matches("TEST-.*\\.xml"))
                    .filter(f -> f.toString().matches(".*/target/(surefire-reports[^/]*|failsafe-reports)/[^/]*"))
                    .sorted()
                    .toList();
        }
    }

    private void add(Path root, Path file) throws Exception {
        DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        Element suite = builder.parse(file.toFile()).getDocumentElement();
        NodeList cases = suite.getElementsByTagName("testcase");
        int suitePassed = 0;
        int suiteFailed = 0;
        int suiteSkipped = 0;
        for (int i = 0; i < cases.getLength(); i++) {
            Element test = (Element) cases.item(i);
            String id = test.getAttribute("classname") + "#" + test.getAttribute("name");
            if (test.getElementsByTagName("failure").getLength() + test.getElementsByTagName("error").getLength() > 0) {
                suiteFailed++;
                failures.add(id);
            } else if (test.getElementsByTagName("skipped").getLength() > 0) {
                suiteSkipped++;
                skip(id, reason((Element) test.getElementsByTagName("skipped").item(0)));
            } else {
                suitePassed++;
            }
        }
        passed += suitePassed;
        failed += suiteFailed;
        skipped += suiteSkipped;
        Path module = root.relativize(file.getParent().getParent().getParent());
        String run = file.getParent().getFileName().toString().replaceAll("surefire-reports-?|failsafe-reports", "");
        System.out.printf(
                "suite %-22s %-70s run %4d, failed %d, skipped %d, %ss%s%n",
                module,
                suite.getAttribute("name"),
                suitePassed + suiteFailed,
                suiteFailed,
                suiteSkipped,
                suite.getAttribute("time"),
                run.isEmpty() ? "" : " (" + run + ")");
    }

    /** The message, or the first line of the stack trace without the name of the exception. */
    private static String reason(Element skipped) {
        String message = skipped.getAttribute("message");
        return message.isEmpty()
                ? skipped.getTextContent().strip().lines().findFirst().orElse("").replaceFirst("^[\\w.$]+: ", "")
                : message;
    }

    private void skip(String id, String reason) {
        skips.put(id, reason.isEmpty() ? "no reason given" : reason);
        String bare = id.replaceAll("[(\\[{].*", "");
        String type = bare.replaceAll("#.*", "");
        if (Stream.of(id, bare, type, bare.replaceAll(".*#", "*#")).noneMatch(allowed::contains)) {
            unexplained.add(id);
        }
    }

    private boolean summary() {
        System.out.println(skips.isEmpty() ? "no test was skipped" : "skipped tests:");
        skips.forEach((id, reason) -> System.out.println("  " + id + ": " + reason));
        failures.forEach(id -> System.out.println("FAILED " + id));
        unexplained.forEach(id -> System.out.println("SKIPPED WITHOUT AN ENTRY in docs/testing.md: " + id));
        if (passed + failed == 0) {
            System.out.println("no test ran");
        }
        return failed == 0 && unexplained.isEmpty() && passed > 0;
    }
}
