// Builds the page into the package; with --check, fails where the committed files differ from what is built.
import { build } from "esbuild";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const committed = new URL("../src/streamt/catalog/web/", import.meta.url).pathname;

async function buildInto(folder) {
  const { metafile } = await build({
    entryPoints: { page: "src/main.tsx", layout: "src/graph/layout.worker.ts" },
    outdir: folder,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    jsx: "automatic",
    legalComments: "none",
    metafile: true,
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
  });
  await writeFile(join(folder, "licenses.txt"), await licences(metafile));
  for (const file of ["index.html", "icon.svg"]) await cp(file, join(folder, file));
}

// What is bundled comes with its licence, as each of them asks for.
async function licences(metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = input.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (found) packages.add(found[1]);
  }
  const texts = [...packages].sort().map(async (name) => {
    const folder = join("node_modules", name);
    const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
    const text = file ? await readFile(join(folder, file), "utf8") : "";
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(72)}\n\n`);
}

async function contents(folder) {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")])));
}

if (process.argv.includes("--check")) {
  const folder = await mkdtemp(join(tmpdir(), "page-"));
  try {
    await buildInto(folder);
    const [built, kept] = [await contents(folder), await contents(committed)];
    const names = [...new Set([...Object.keys(built), ...Object.keys(kept)])];
    const changed = names.filter((name) => built[name] !== kept[name]);
    if (changed.length) {
      console.error(`the built page differs from web/src: ${changed.join(", ")}; run \`make page\` and commit the result`);
      process.exitCode = 1;
    }
  } finally {
    await rm(folder, { recursive: true });
  }
} else {
  await rm(committed, { recursive: true, force: true });
  await buildInto(committed);
}
