package io.uniserve.checks;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Compiled main classes of all modules, and predicates for the module of a class. */
final class Classes {
    static final JavaClasses ALL = load();

    private Classes() {}

    private static JavaClasses load() {
        List<Path> folders = ProjectTree.MODULES.stream()
                .map(ProjectTree::classes)
                .filter(Files::isDirectory)
                .toList();
        return new ClassFileImporter().importPaths(folders);
    }

    /** Classes compiled in one of these modules. */
    static DescribedPredicate<JavaClass> inModules(String... modules) {
        List<String> folders = List.of(modules).stream()
                .map(m -> ProjectTree.classes(m).toUri().getPath())
                .map(p -> p.endsWith("/") ? p : p + "/")
                .toList();
        return DescribedPredicate.describe(
                "classes of " + String.join(", ", modules),
                type -> type.getBaseComponentType()
                        .getSource()
                        .map(s -> s.getUri().getPath())
                        .filter(p -> folders.stream().anyMatch(p::startsWith))
                        .isPresent());
    }

    /** Classes in one of these packages, in ArchUnit's notation. */
    static DescribedPredicate<JavaClass> inPackages(String... packages) {
        return JavaClass.Predicates.resideInAnyPackage(packages);
    }

    /** Classes generated from .proto files: those with their source under target/generated-sources. */
    static DescribedPredicate<JavaClass> generated() {
        Set<String> names = ProjectTree.generatedSources().stream()
                .map(name -> name.substring(0, name.length() - ".java".length()).replace('/', '.'))
                .collect(Collectors.toSet());
        return DescribedPredicate.describe("generated from .proto", type -> {
            String name = type.getBaseComponentType().getName();
            int nested = name.indexOf('$');
            return names.contains(nested < 0 ? name : name.substring(0, nested));
        });
    }
}
