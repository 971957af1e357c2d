package io.uniserve.checks;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Size of packages, and class cycles inside a package. */
class PackageRulesTest {
    private static final int FILES_MAX = 25;
    private static final int CYCLE_MAX = 2;

    /** Packages with a larger cycle, and the reason why the classes of the cycle belong together. */
    private static final Map<String, String> ALLOWED_CYCLES = Map.of(
            "io.uniserve.api.operator", "an operator, its function and its call name each other in signatures",
            "io.uniserve.protocol.message", "sealed families of requests, and the records that implement them");

    @Test
    void packagesAreSmall() {
        Map<String, Long> files = ProjectTree.sources().stream()
                .map(ProjectTree::name)
                .filter(name -> name.contains("/src/main/java/") && !name.endsWith("/package-info.java"))
                .collect(Collectors.groupingBy(
                        name -> name.substring(0, name.lastIndexOf('/')), TreeMap::new, Collectors.counting()));
        files.values().removeIf(count -> count <= FILES_MAX);
        assertThat(files)
                .as("packages with more than %d files; split them by what their classes do", FILES_MAX)
                .isEmpty();
    }

    @Test
    void noLargeClassCycleInAPackage() {
        Map<String, List<TreeSet<String>>> large = new TreeMap<>();
        dependencies().forEach((name, classes) -> {
            List<TreeSet<String>> cycles = cycles(classes);
            cycles.removeIf(cycle -> cycle.size() <= CYCLE_MAX);
            if (!cycles.isEmpty() && !ALLOWED_CYCLES.containsKey(name)) {
                large.put(name, cycles);
            }
        });
        assertThat(large)
                .as("cycles of more than %d top-level classes inside a package; cut an edge of each", CYCLE_MAX)
                .isEmpty();
    }

    /** For each package: its top-level classes, and the classes of the same package that each uses. */
    private static Map<String, Map<String, Set<String>>> dependencies() {
        Map<String, Map<String, Set<String>>> packages = new TreeMap<>();
        for (JavaClass type : Classes.ALL) {
            if (!type.getPackageName().startsWith("io.uniserve.")
                    || Classes.generated().test(type)) {
                continue;
            }
            Map<String, Set<String>> classes = packages.computeIfAbsent(type.getPackageName(), key -> new TreeMap<>());
            Set<String> used = classes.computeIfAbsent(topLevel(type), key -> new TreeSet<>());
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (target.getPackageName().equals(type.getPackageName())) {
                    used.add(topLevel(target));
                }
            }
        }
        return packages;
    }

    private static String topLevel(JavaClass type) {
        String name = type.getName().substring(type.getPackageName().length() + 1);
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    /** The sets of classes that reach each other, the strongly connected components. */
    private static List<TreeSet<String>> cycles(Map<String, Set<String>> classes) {
        Map<String, Set<String>> reached = new TreeMap<>();
        classes.keySet().forEach(name -> reached.put(name, reachable(name, classes)));
        List<TreeSet<String>> cycles = new ArrayList<>();
        Set<String> seen = new TreeSet<>();
        reached.forEach((name, others) -> {
            if (seen.add(name)) {
                TreeSet<String> cycle = others.stream()
                        .filter(other -> reached.getOrDefault(other, Set.of()).contains(name))
                        .collect(Collectors.toCollection(TreeSet::new));
                seen.addAll(cycle);
                cycles.add(cycle);
            }
        });
        return cycles;
    }

    private static Set<String> reachable(String from, Map<String, Set<String>> classes) {
        Set<String> found = new TreeSet<>();
        List<String> open = new ArrayList<>(classes.getOrDefault(from, Set.of()));
        while (!open.isEmpty()) {
            String next = open.remove(open.size() - 1);
            if (found.add(next)) {
                open.addAll(classes.getOrDefault(next, Set.of()));
            }
        }
        return found;
    }
}
