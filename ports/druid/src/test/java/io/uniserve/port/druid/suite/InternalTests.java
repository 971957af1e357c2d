package io.uniserve.port.druid.suite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Tests of objects inside one process of Druid: they fail against any two processes of native Druid too. The resource {@code
 * druid-suite-internal.txt} lists them by class and method, each below its reason. A test that passes counts as passed.
 */
final class InternalTests {
    private static final String RESOURCE = "/druid-suite-internal.txt";
    private static final Map<String, String> REASONS = read();

    private InternalTests() {}

    /** Returns the reason if the test is listed. */
    static Optional<String> reason(String suite, String test) {
        String method = test.split("[\\[( ]", 2)[0];
        return Optional.ofNullable(REASONS.get(suite + "." + method));
    }

    private static Map<String, String> read() {
        try (InputStream in = InternalTests.class.getResourceAsStream(RESOURCE)) {
            Map<String, String> reasons = new HashMap<>();
            String reason = "";
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                if (line.startsWith("# ")) {
                    reason = line.substring(2).strip();
                } else if (!line.isBlank()) {
                    reasons.put(line.strip(), reason);
                }
            }
            return Map.copyOf(reasons);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
