package io.uniserve.checks;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Source file: its lines, its code without comments and literals, and its methods. */
record SourceFile(Path path, List<String> lines, List<String> code) {
    /** Method with its name and line, and its length in lines from the first annotation to the last brace. */
    record Method(String name, int lines) {}

    static SourceFile read(Path path) {
        try {
            String text = Files.readString(path);
            return new SourceFile(
                    path, text.lines().toList(), CodeOnly.of(text).lines().toList());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }

    String name() {
        return ProjectTree.name(path);
    }

    /** The methods of many files, from the JDK's own parser. */
    static List<Method> methods(List<SourceFile> files) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<Method> methods = new ArrayList<>();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            List<Path> paths = files.stream().map(SourceFile::path).toList();
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, d -> {}, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(paths));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new Finder(unit, positions, methods).scan(unit, null);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot parse the sources", e);
        }
        return methods;
    }

    private static final class Finder extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<Method> methods;

        Finder(CompilationUnitTree unit, SourcePositions positions, List<Method> methods) {
            this.unit = unit;
            this.positions = positions;
            this.methods = methods;
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void unused) {
            LineMap map = unit.getLineMap();
            long end = positions.getEndPosition(unit, method);
            if (end >= 0) {
                long first = map.getLineNumber(positions.getStartPosition(unit, method));
                int lines = (int) (map.getLineNumber(end) - first + 1);
                Path file = Path.of(unit.getSourceFile().toUri());
                methods.add(new Method(ProjectTree.name(file) + ":" + first + " " + method.getName(), lines));
            }
            return super.visitMethod(method, unused);
        }
    }
}
